//! Server-side copies, which are what a rename is made of here: one CopyObject, or parts for what is too large for one.

use crate::client::Client;
use crate::config::{PART_BYTES_MAX, PART_BYTES_MIN, PARTS_MAX};
use crate::failure::{Failure, Outcome};
use crate::object::{Names, Object};
use crate::ops::{Head, Part};
use fsbench_target::{ErrorKind, Event};
use futures_util::StreamExt;
use futures_util::stream;
use std::cell::RefCell;
use std::ops::Range;

/// Parts of a copy when nothing else decides.
const COPY_PART_BYTES: u64 = 512 << 20;

/// A copy under way, and the upload that it may have begun.
pub(crate) struct Copy<'a> {
    pub(crate) client: &'a Client,
    pub(crate) names: &'a Names,
    pub(crate) from: &'a Object,
    pub(crate) to: &'a Object,
    pub(crate) upload: RefCell<Option<String>>,
}

impl Copy<'_> {
    /// Copies what one request can copy.
    ///
    /// # Errors
    /// What the server said. `Some` is no error: the object is too large, and is to be copied in parts.
    pub(crate) async fn whole(&self) -> Outcome<Option<Head>> {
        let threshold = self.client.shared.config.copy_part_threshold;
        if threshold < PART_BYTES_MAX {
            let head = self.client.head(self.from).await?;
            if head.size > threshold {
                return Ok(Some(head));
            }
        }
        // Nearly every object is smaller than S3's limit: its size is asked for only when the server refuses.
        match self.client.copy(self.names, self.from, self.to).await {
            Err(failure) if is_too_large(&failure) => self.client.head(self.from).await.map(Some),
            copied => copied.map(|()| None),
        }
    }

    /// Begins an upload for [`Copy::in_parts`]. Short, and not to be interrupted: the upload's id would be lost.
    ///
    /// # Errors
    /// What the server said.
    pub(crate) async fn begin(&self) -> Outcome<()> {
        let id = self.client.create_upload(self.to).await?;
        *self.upload.borrow_mut() = Some(id);
        Ok(())
    }

    /// Copies part by part.
    ///
    /// # Errors
    /// What the server said; [`Copy::abort`] is to be called then, and when this was dropped half-way.
    pub(crate) async fn in_parts(&self, head: &Head) -> Outcome<()> {
        let id = self.upload.borrow().clone().unwrap_or_default();
        let config = &self.client.shared.config;
        let most = config.upload_concurrency.min(config.max_connections.unwrap_or(usize::MAX));
        let copies = ranges(head.size, config.copy_part_threshold).into_iter().zip(1..).map(|(range, number)| {
            let source = (self.names, self.from, head);
            self.client.copy_part(source, (self.to, &id, number), range)
        });
        let mut parts: Vec<Part> = Vec::new();
        let mut copies = stream::iter(copies).buffer_unordered(most);
        while let Some(part) = copies.next().await {
            parts.push(part?);
        }
        parts.sort_unstable_by_key(|(number, _)| *number);
        self.client.complete_upload(self.to, &id, &parts, false).await?;
        *self.upload.borrow_mut() = None;
        Ok(())
    }

    /// Removes the unfinished upload, if there is one.
    ///
    /// # Errors
    /// What the server said.
    pub(crate) async fn abort(&self) -> Outcome<()> {
        let Some(id) = self.upload.borrow_mut().take() else {
            return Ok(());
        };
        self.client.probe.event(Event::Abort);
        self.client.abort_upload(self.to, &id, true).await
    }
}

fn is_too_large(failure: &Failure) -> bool {
    let told = failure.kind == ErrorKind::Invalid && failure.detail.contains("larger than the maximum");
    told || failure.code == "EntityTooLarge"
}

/// Ranges of equal size, but for the last one.
fn ranges(size: u64, threshold: u64) -> Vec<Range<u64>> {
    let least = size.div_ceil(PARTS_MAX).max(PART_BYTES_MIN);
    let part = threshold.min(COPY_PART_BYTES).max(least);
    (0..size.div_ceil(part)).map(|index| index * part..((index + 1) * part).min(size)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_the_object() {
        for (size, threshold, count) in [
            (PART_BYTES_MIN, 1, 1),
            (PART_BYTES_MIN + 1, 1, 2),
            (3 * PART_BYTES_MIN, PART_BYTES_MIN, 3),
            (6 << 30, PART_BYTES_MAX, 12),
            (50 << 40, PART_BYTES_MAX, 10_000),
        ] {
            let ranges = ranges(size, threshold);
            assert_eq!((ranges.len(), ranges[0].start, ranges[count - 1].end), (count, 0, size));
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
