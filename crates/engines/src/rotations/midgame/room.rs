//! Memory for tables that are read in no order: in large pages where the system has them.

use std::marker::PhantomData;

use bytemuck::Pod;
use memmap2::MmapMut;

/// Zeroed room for values of one kind.
pub(super) struct Room<T> {
    bytes: Bytes,
    kind: PhantomData<T>,
}

enum Bytes {
    /// Of the system, in pages of two megabytes if it can: with small ones nearly every read
    /// waits for the address of its page besides.
    Pages(MmapMut),
    /// Where that fails. Words, so that values lie as they must.
    Plain(Vec<u64>),
}

impl<T: Pod> Room<T> {
    pub(super) fn new(len: usize) -> Room<T> {
        let bytes = len * size_of::<T>();
        let bytes = match MmapMut::map_anon(bytes) {
            Ok(pages) => {
                // Only a wish: small pages do, more slowly.
                #[cfg(target_os = "linux")]
                let _ = pages.advise(memmap2::Advice::HugePage);
                Bytes::Pages(pages)
            }
            Err(_) => Bytes::Plain(vec![0; bytes / 8]),
        };
        Room { bytes, kind: PhantomData }
    }

    pub(super) fn get(&self) -> &[T] {
        match &self.bytes {
            Bytes::Pages(pages) => bytemuck::cast_slice(pages),
            Bytes::Plain(words) => bytemuck::cast_slice(words),
        }
    }

    pub(super) fn get_mut(&mut self) -> &mut [T] {
        match &mut self.bytes {
            Bytes::Pages(pages) => bytemuck::cast_slice_mut(pages),
            Bytes::Plain(words) => bytemuck::cast_slice_mut(words),
        }
    }
}
