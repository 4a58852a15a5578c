//! Buffers of a launch on the device, and arguments as the driver takes them.

use super::memory::{self, Memory};
use super::{Gpu, tensor_map};
use crate::{Argument, Buffer, LaunchError, LaunchPlan, Role, generate};
use cudarc::driver::sys::CUtensorMap;
use std::ffi::c_void;

/// An argument in the memory that the driver copies it from.
pub(super) enum Packed {
    /// A pointer or a number.
    Word(u64),
    /// A tensor map, which must lie on 64 bytes.
    Map(Box<CUtensorMap>),
}

impl Packed {
    pub(super) fn pointer(&mut self) -> *mut c_void {
        match self {
            Packed::Word(word) => (&raw mut *word).cast(),
            Packed::Map(map) => (&raw mut **map).cast(),
        }
    }
}

/// The buffers of a plan on the device; for a reference its outputs alone, beside the inputs of the kernel.
#[derive(Debug)]
pub(super) struct Buffers {
    /// By position among the plan's arguments.
    memory: Vec<Option<Memory>>,
    /// What buffers that are read and written hold before each launch.
    initial: Vec<Option<Memory>>,
    /// What all that the kernel reads holds before a launch, by turn.
    turns: Option<[Vec<Option<Memory>>; 2]>,
}

impl Buffers {
    /// Memory for every buffer of the plan that `is_wanted`, by role.
    pub(super) fn new(plan: &LaunchPlan, is_wanted: impl Fn(Role) -> bool) -> Result<Buffers, LaunchError> {
        let wanted = |at: usize| plan.buffer(at).filter(|buffer| is_wanted(buffer.role));
        let positions = 0..plan.arguments.len();
        let initial = |buffer: &Buffer| if buffer.role == Role::InOut { 2 * buffer.bytes() } else { buffer.bytes() };
        let (asked, free) = (positions.clone().filter_map(wanted).map(initial).sum(), memory::free()?);
        if asked > free {
            return Err(LaunchError::Memory { asked, free });
        }
        let take = |buffer: Option<&Buffer>| buffer.map(|buffer| Memory::new(buffer.bytes())).transpose();
        let memory = positions.clone().map(|at| take(wanted(at))).collect::<Result<_, _>>()?;
        let kept = |at: usize| wanted(at).filter(|buffer| buffer.role == Role::InOut);
        Ok(Buffers { memory, initial: positions.map(|at| take(kept(at))).collect::<Result<_, _>>()?, turns: None })
    }

    /// Writes fresh values for a seed into what the kernel reads.
    pub(super) fn fill(&self, plan: &LaunchPlan, seed: u64) -> Result<(), LaunchError> {
        for (at, (memory, initial)) in self.memory.iter().zip(&self.initial).enumerate() {
            let (Some(buffer), Some(memory)) = (plan.buffer(at), memory) else { continue };
            if buffer.role == Role::Out {
                continue;
            }
            let bytes = generate(buffer, seed);
            if buffer.role == Role::In && bytes.iter().all(|byte| *byte == 0) {
                return Err(LaunchError::AllZero {
                    name: buffer.name.clone(),
                    values: buffer.values.describe(),
                    dtype: buffer.dtype.name(),
                });
            }
            memory.upload(&bytes)?;
            if let Some(initial) = initial {
                initial.upload(&bytes)?;
            }
        }
        Ok(())
    }

    /// Makes what the kernel reads hold the values of two seeds in turn; `false` where the device has no room for both.
    pub(super) fn take_turns(&mut self, plan: &LaunchPlan, seeds: [u64; 2]) -> Result<bool, LaunchError> {
        let read = |at: usize| plan.buffer(at).filter(|buffer| buffer.role != Role::Out && self.memory[at].is_some());
        let positions = 0..self.memory.len();
        let asked: u64 = positions.clone().filter_map(read).map(|buffer| 2 * buffer.bytes()).sum();
        if asked == 0 || asked > memory::free()? {
            return Ok(false);
        }
        let of = |seed: u64| {
            let one = |at: usize| read(at).map(|buffer| Memory::of(&generate(buffer, seed))).transpose();
            positions.clone().map(one).collect::<Result<Vec<_>, _>>()
        };
        self.turns = Some([of(seeds[0])?, of(seeds[1])?]);
        Ok(true)
    }

    /// Ends the turns: from here on launches read what [`Buffers::fill`] writes.
    pub(super) fn end_turns(&mut self) {
        self.turns = None;
    }

    /// Queues what must happen before every launch: what it reads gets the values of its turn; without turns buffers that
    /// are read and written get their first values back.
    pub(super) fn reset(&self, gpu: &Gpu, turn: usize) -> Result<(), LaunchError> {
        let kept = self.turns.as_ref().map_or(&self.initial, |turns| &turns[turn % 2]);
        let both = self.memory.iter().zip(kept);
        both.filter_map(|(memory, kept)| memory.as_ref().zip(kept.as_ref())).try_for_each(|(m, i)| m.copy(i, gpu))
    }

    /// Queues filling outputs with a byte that no kernel should leave throughout.
    pub(super) fn poison(&self, gpu: &Gpu, plan: &LaunchPlan, byte: u8) -> Result<(), LaunchError> {
        let outputs = self.memory.iter().enumerate();
        let is_output = |at: usize| plan.buffer(at).is_some_and(|buffer| buffer.role == Role::Out);
        outputs
            .filter(|(at, _)| is_output(*at))
            .filter_map(|(_, memory)| memory.as_ref())
            .try_for_each(|m| m.fill(byte, gpu))
    }

    /// The address of the buffer at a position.
    pub(super) fn pointer(&self, at: usize) -> Option<u64> {
        Some(self.memory.get(at)?.as_ref()?.pointer())
    }

    /// What the buffer at a position holds after all that was queued.
    pub(super) fn download(&self, gpu: &Gpu, at: usize) -> Result<Vec<u8>, LaunchError> {
        self.memory.get(at).and_then(Option::as_ref).map_or(Ok(Vec::new()), |memory| memory.download(gpu))
    }
}

/// The chosen arguments, with buffers at the addresses that `pointer` gives; without `maps` as pointers all.
pub(super) fn pack(
    plan: &LaunchPlan,
    chosen: &[usize],
    maps: bool,
    pointer: impl Fn(usize) -> Option<u64>,
) -> Result<Vec<Packed>, LaunchError> {
    let one = |at: &usize| match plan.arguments.get(*at) {
        Some(Argument::Buffer(buffer)) => {
            let address = pointer(*at).unwrap_or_default();
            Ok(match &buffer.map {
                Some(map) if maps => Packed::Map(Box::new(tensor_map::encode(buffer, map, address)?)),
                _ => Packed::Word(address),
            })
        }
        Some(Argument::Scalar(scalar)) => Ok(Packed::Word(scalar.bits)),
        None => Ok(Packed::Word(0)),
    };
    chosen.iter().map(one).collect()
}
