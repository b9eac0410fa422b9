//! A lane's buffers: one block of memory, aligned, touched in advance, at an address that never changes.
#![allow(unsafe_code)]

use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ptr::null_mut;

/// Least distance between two buffers, and their least alignment.
const PAGE_BYTES: usize = 4096;

/// As many buffers as requests may be in flight.
#[derive(Debug)]
pub(crate) struct Arena {
    map: *mut u8,
    map_bytes: usize,
    /// The first aligned byte of the map.
    first: *mut u8,
    stride: usize,
    slots: usize,
    slot_bytes: usize,
    leaked: bool,
}

impl Arena {
    /// `slots` buffers of `slot_bytes`, each aligned to `align` (a power of two) and to a page.
    pub(crate) fn new(slots: u32, slot_bytes: u32, align: u32) -> rustix::io::Result<Self> {
        let align = (align.max(1) as usize).max(PAGE_BYTES);
        if !align.is_power_of_two() || slots == 0 {
            return Err(Errno::INVAL);
        }
        let (slots, slot_bytes) = (slots as usize, slot_bytes as usize);
        let stride = slot_bytes.max(1).next_multiple_of(align);
        let map_bytes = stride.checked_mul(slots).and_then(|all| all.checked_add(align)).ok_or(Errno::NOMEM)?;
        let flags = MapFlags::PRIVATE | MapFlags::POPULATE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let map = unsafe { mmap_anonymous(null_mut(), map_bytes, ProtFlags::READ | ProtFlags::WRITE, flags) }?;
        let map = map.cast::<u8>();
        let first = map.wrapping_add(map.align_offset(align));
        Ok(Self { map, map_bytes, first, stride, slots, slot_bytes, leaked: false })
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    pub(crate) fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }

    /// Where the first `len` bytes of a slot's buffer are; valid for as long as the arena is there.
    ///
    /// # Panics
    /// When there is no such slot, or it is shorter.
    pub(crate) fn pointer(&self, slot: u32, len: u32) -> *mut u8 {
        assert!((slot as usize) < self.slots, "a request names a slot of its lane");
        assert!(len as usize <= self.slot_bytes, "a request fits into its slot");
        self.first.wrapping_add(slot as usize * self.stride)
    }

    /// The first `len` bytes of a slot's buffer. The caller sees to it that no request has it.
    pub(crate) fn buffer(&mut self, slot: u32, len: u32) -> &mut [u8] {
        let start = self.pointer(slot, len);
        // SAFETY: `pointer` checked that the bytes lie inside of the mapping, which is private, readable, writable and
        // zeroed at first; `&mut self` keeps others of this program away, and engines assert that the kernel has no
        // request with this slot.
        unsafe { std::slice::from_raw_parts_mut(start, len as usize) }
    }

    /// Keeps the memory for ever, because the kernel may still write into it.
    pub(crate) fn leak(&mut self) {
        self.leaked = true;
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if !self.leaked {
            // SAFETY: the mapping was made by `new`, nobody borrows from it, and the lane has waited for the kernel.
            let _ = unsafe { munmap(self.map.cast(), self.map_bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_apart_and_writable() {
        for align in [1, 512, 4096, 1 << 21] {
            let mut arena = Arena::new(3, 5000, align).unwrap();
            for slot in 0..3 {
                assert_eq!(arena.pointer(slot, 0).align_offset(align.max(4096) as usize), 0);
                arena.buffer(slot, 5000).fill(slot as u8 + 1);
            }
            assert!((0..3).all(|slot| arena.buffer(slot, 5000).iter().all(|byte| *byte == slot as u8 + 1)));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(Arena::new(1, 4096, 12288).unwrap_err(), Errno::INVAL);
        assert_eq!(Arena::new(0, 4096, 1).unwrap_err(), Errno::INVAL);
        let arena = Arena::new(1, 0, 0).unwrap();
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| arena.pointer(1, 0))).is_err());
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| arena.pointer(0, 1))).is_err());
    }
}
