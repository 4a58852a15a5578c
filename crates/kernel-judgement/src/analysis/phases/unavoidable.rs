//! The bytes that a launch cannot avoid to move, level by level, from the sizes of its arguments.

use super::detail::{SectorAccess, touched_sectors};
use super::{accesses::copied_bytes, model::Phases, study::Study};
use crate::evidence::LaunchFacts;
use crate::quantity::{SECTOR, glance};

/// The part of all bytes read that one buffer holds where draws can only be from it.
const NEARLY_ALL: f64 = 0.9;
/// The part of the sectors read that draws must carry to be what is read.
const MOST: f64 = 0.5;
/// Arguments named; more are counted.
const NAMED: usize = 4;

#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Amount {
    pub bytes: f64,
    /// What they are: names of arguments.
    pub what: String,
}

/// What each level cannot avoid to move; `None` where nothing tells.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Unavoidable {
    /// From DRAM: every byte that is read, once.
    pub read: Option<Amount>,
    /// To DRAM: every byte that is written, once.
    pub write: Option<Amount>,
    /// From L2 to L1: the operands of tiles of this shape, as asynchronous copies bring them.
    pub operands: Option<Amount>,
}

impl Study<'_> {
    /// Loads of bytes that all blocks read: their address hangs on no number of the block and on no value from memory.
    pub(in crate::analysis) fn read_once(&self) -> Vec<usize> {
        let code = &self.code;
        let is_same = |row: &usize| !code.is_of_block(*row) && code.loads_behind(*row).is_empty();
        code.run().filter(|row| code.op(*row).loads_global()).filter(is_same).collect()
    }
}

impl Unavoidable {
    /// From what a launch was given, where that is known, and from its accesses by instruction; `asked` are the sectors that L1 asked L2
    /// for.
    pub fn of(launch: Option<&LaunchFacts>, studied: Option<(&Study<'_>, &Phases)>, asked: Option<f64>) -> Unavoidable {
        let buffers = launch.and_then(LaunchFacts::buffers).unwrap_or_default();
        let sum = |of: fn(&crate::evidence::Buffer<'_>) -> bool| {
            let own: Vec<_> = buffers.iter().filter(|buffer| of(buffer)).collect();
            let names: Vec<&str> = own.iter().map(|buffer| buffer.name).collect();
            let what = if names.len() > NAMED { format!("{} arguments", names.len()) } else { names.join(", ") };
            let bytes = own.iter().map(|buffer| buffer.bytes as f64).sum();
            (bytes > 0.0).then_some(Amount { bytes, what })
        };
        let read = sum(|buffer| buffer.is_read);
        let gathered = read.as_ref().zip(studied).and_then(|(read, (study, phases))| {
            let most =
                buffers.iter().filter(|buffer| buffer.is_read).map(|buffer| buffer.bytes as f64).fold(0.0, f64::max);
            (most >= NEARLY_ALL * read.bytes)
                .then(|| gathered(study, &phases.accesses, asked, [most, read.bytes]))
                .flatten()
        });
        let copied = studied.and_then(|(study, _)| copied_bytes(study));
        Unavoidable {
            read: gathered.or(read),
            write: sum(|buffer| buffer.is_written),
            operands: copied.map(|bytes| Amount { bytes: bytes as f64, what: "operands of this tile shape".into() }),
        }
    }
}

/// The sectors that draws from one buffer touch, for uniform indices; `None` where no value from memory is the index of a load or the next
/// address, and where such loads carry the smaller part of what is read: a stream beside a table is read once.
fn gathered(
    study: &Study<'_>,
    accesses: &[SectorAccess],
    asked: Option<f64>,
    [buffer, all]: [f64; 2],
) -> Option<Amount> {
    let has_indices = study.indirection().is_some() || study.chain().is_some();
    let is_load = |access: &&SectorAccess| access.is_inherent && access.at.op().reads_global();
    let sectors = |keep: &dyn Fn(&&SectorAccess) -> bool| {
        accesses.iter().filter(keep).map(|access| access.sectors).sum::<u64>() as f64
    };
    if !has_indices || sectors(&is_load) < MOST * sectors(&|access| access.at.op().reads_global()) {
        return None;
    }
    let draw = |access: &SectorAccess| Some(access.ideal as f64 * SECTOR / (access.width_bits? as f64 / 8.0));
    let draws: Option<f64> = accesses.iter().filter(is_load).map(draw).sum();
    // What L1 has is drawn no second time: steps along a row of slots that begin at one draw.
    let streamed = sectors(&|access| !access.is_inherent && access.at.op().reads_global());
    let drawn = asked.map_or(f64::INFINITY, |asked| asked - streamed);
    let draws = draws.map(|draws| draws.min(drawn)).filter(|draws| *draws > 0.0)?;
    let touched = SECTOR * touched_sectors(draws, buffer / SECTOR)?;
    Some(Amount {
        bytes: touched + all - buffer,
        what: format!("distinct sectors of {} uniform draws", glance::short(draws)),
    })
}
