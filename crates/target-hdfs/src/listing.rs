//! A walk through a directory tree, one page of one directory at a time.

use crate::client::{Client, Listing, Outcome, Status};

/// Where a listing stands: the directory under way, and those still to come.
pub(crate) struct Walk<C: Client> {
    waiting: Vec<String>,
    current: Option<C::Listing>,
    begun: bool,
}

impl<C: Client> Walk<C> {
    pub(crate) fn new(root: String) -> Self {
        Self { waiting: vec![root], current: None, begun: false }
    }

    /// The files of the next page, and whether anything may follow. Asks the NameNode once.
    pub(crate) async fn page(&mut self, client: &C) -> Outcome<(Vec<Status>, bool)> {
        loop {
            if self.current.is_none() {
                let Some(directory) = self.waiting.pop() else { return Ok((Vec::new(), false)) };
                self.current = Some(client.list(&directory));
                self.begun = false;
            }
            let Some(listing) = &mut self.current else { continue };
            let (entries, more) = listing.page().await?;
            // A full last page leaves open whether one follows. That none does is known without a request.
            let asked = !self.begun || !entries.is_empty() || more;
            self.begun = true;
            if !more {
                self.current = None;
            }
            let (directories, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.directory);
            self.waiting.extend(directories.into_iter().rev().map(|directory| directory.path));
            let follows = self.current.is_some() || !self.waiting.is_empty();
            if asked || !follows {
                return Ok((files, follows));
            }
        }
    }
}
