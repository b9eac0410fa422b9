//! Unfinished multipart uploads: what a killed run leaves in a bucket, invisible, and paid for.

use crate::client::Client;
use crate::driver::Driver;
use crate::failure::Outcome;
use crate::object::Names;
use crate::xml::ListedUpload;
use fsbench_target::{Error, Result};

/// Aborts the unfinished uploads below the base to names that `owned` accepts, and counts them.
///
/// # Errors
/// What the store said.
pub(crate) fn abort_owned(
    driver: &mut Driver,
    client: &Client,
    names: &Names,
    owned: &dyn Fn(&str) -> bool,
) -> Result<u64> {
    let uri = names.uri("");
    let found = driver
        .run_alone(all(client, names))
        .ok_or_else(|| Error::interrupted("s3", "list unfinished uploads in", uri.clone()))?
        .map_err(|failure| failure.at("list unfinished uploads in", uri))?;
    let mut count = 0;
    for upload in found.iter().filter(|upload| names.path(&upload.key).is_some_and(owned)) {
        let uri = names.uri(names.path(&upload.key).unwrap_or(&upload.key));
        driver
            .run_alone(async { client.abort_upload(&names.of_key(upload.key.clone())?, &upload.upload_id, true).await })
            .ok_or_else(|| Error::interrupted("s3", "abort the upload of", uri.clone()))?
            .map_err(|failure| failure.at("abort the upload of", uri))?;
        count += 1;
    }
    Ok(count)
}

async fn all(client: &Client, names: &Names) -> Outcome<Vec<ListedUpload>> {
    let prefix = names.prefix("");
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = client.uploads(names, &prefix, after.as_ref()).await?;
        // Some servers match the prefix loosely, or not at all.
        found.extend(page.uploads.into_iter().filter(|upload| upload.key.starts_with(&prefix)));
        after = match (page.is_truncated, page.next_key_marker, page.next_upload_id_marker) {
            (true, Some(key), Some(id)) => Some((key, id)),
            _ => return Ok(found),
        };
    }
}
