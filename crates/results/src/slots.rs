//! Operations and bytes in slots of 100 ms, counted from the start of the repetition.
//!
//! An operation counts in the slot in which it ends.

use serde::{Deserialize, Serialize};

/// Width of a slot.
pub const SLOT_NS: u64 = 100_000_000;

/// What ended in one slot: `[operations, bytes]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 2]", into = "[u64; 2]")]
pub struct Slot {
    /// Operations.
    pub operations: u64,
    /// Bytes that they moved.
    pub bytes: u64,
}

impl From<[u64; 2]> for Slot {
    fn from([operations, bytes]: [u64; 2]) -> Self {
        Self { operations, bytes }
    }
}

impl From<Slot> for [u64; 2] {
    fn from(slot: Slot) -> Self {
        [slot.operations, slot.bytes]
    }
}

/// Slots of one kind of operation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Slots(Vec<Slot>);

impl Slots {
    /// Room for a minute without allocating.
    #[must_use]
    pub fn with_room() -> Self {
        Self(Vec::with_capacity(600))
    }

    /// Adds an operation that ended `ns` after the start.
    #[inline]
    pub fn add(&mut self, ns: u64, bytes: u64) {
        let index = (ns / SLOT_NS) as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, Slot::default());
        }
        let slot = &mut self.0[index];
        slot.operations += 1;
        slot.bytes += bytes;
    }

    /// Adds `operations` that ended `ns` after the start and moved `bytes` together.
    pub fn add_many(&mut self, ns: u64, operations: u64, bytes: u64) {
        let index = (ns / SLOT_NS) as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, Slot::default());
        }
        self.0[index].operations += operations;
        self.0[index].bytes += bytes;
    }

    /// Adds all of `other`, slot by slot.
    pub fn merge(&mut self, other: &Slots) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), Slot::default());
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.operations += theirs.operations;
            mine.bytes += theirs.bytes;
        }
    }

    /// The slots in order.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.0.iter()
    }

    /// Sum of all slots.
    #[must_use]
    pub fn total(&self) -> Slot {
        self.0.iter().fold(Slot::default(), |sum, slot| Slot {
            operations: sum.operations + slot.operations,
            bytes: sum.bytes + slot.bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_slots_are_the_sum_of_their_parts() {
        let (mut a, mut b) = (Slots::default(), Slots::default());
        a.add(0, 10);
        a.add(99_999_999, 5);
        b.add(SLOT_NS * 3, 7);
        a.merge(&b);
        assert_eq!(serde_json::to_string(&a).expect("serializes"), "[[2,15],[0,0],[0,0],[1,7]]");
        assert_eq!(a.total(), Slot { operations: 3, bytes: 22 });
    }
}
