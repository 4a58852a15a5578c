//! What an opcode is.

use super::does::{Act, Computes, Control, Element, Pipe, ProductBy, Space, Sync, Told};
use super::row::{Does, Shape};
use super::table::{Class, Op, ROWS};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

static BY_NAME: LazyLock<FxHashMap<&str, Op>> = LazyLock::new(|| Op::ALL.iter().map(|op| (op.name(), *op)).collect());

/// What the row of an opcode says in one word.
macro_rules! said {
    ($($(#[$doc:meta])* $field:ident: $type:ty,)+) => {
        impl Op {
            $($(#[$doc])* pub fn $field(self) -> $type {
                self.does().$field
            })+
        }
    };
}

said! {
    /// Where the data of an access is; `None` for what accesses no memory.
    space: Option<Space>,
    /// What an access does; `None` for what accesses no memory.
    act: Option<Act>,
    /// The pipe that runs it, where that is known.
    pipe: Option<Pipe>,
    /// What it does to control; `None` where the next instruction follows and nothing more.
    control: Option<Control>,
    /// What it does between lanes, warps or blocks.
    sync: Option<Sync>,
    /// Whether a page tells it by its name.
    told: Told,
    /// What it computes, as far as addresses are made by such.
    computes: Option<Computes>,
    /// Whether it combines values so that the result is the same in any grouping, up to rounding: sums, products, smallest and largest.
    folds: bool,
    /// Whether it adds two or three values up and does nothing else.
    adds: bool,
    /// Whether it runs beside the warp that starts it.
    is_async: bool,
    /// Whether each lane moves an element: between registers and memory, or from global to shared memory.
    is_by_lane: bool,
}

impl Op {
    /// The opcode of an instruction's text, given with or without guard, modifiers and operands: that of `@!P0 LDG.E.128 R2` is `LDG`.
    pub fn of(text: &str) -> Op {
        BY_NAME.get(base(text)).copied().unwrap_or_default()
    }

    pub(crate) fn does(self) -> &'static Does {
        &ROWS[self as usize].does
    }

    /// How a disassembler writes it; empty for an unknown one.
    pub fn name(self) -> &'static str {
        ROWS[self as usize].name
    }

    /// Whether the table has it.
    pub fn is_known(self) -> bool {
        self != Op::Unknown
    }

    /// Its class; `None` for an unknown one.
    pub fn class(self) -> Option<Class> {
        ROWS[self as usize].class
    }

    /// Whether it is of one of some classes.
    pub fn is_of(self, classes: &[Class]) -> bool {
        self.class().is_some_and(|class| classes.contains(&class))
    }

    /// Whether lanes of a warp read each other's registers.
    pub fn is_shuffle(self) -> bool {
        self == Op::SHFL
    }

    /// Whether it multiplies matrices.
    pub fn is_product(self) -> bool {
        self.does().product.is_some()
    }

    /// Who starts a product; `None` for what is none.
    pub fn product_by(self) -> Option<ProductBy> {
        self.does().product.map(|(by, _)| by)
    }

    /// What a product multiplies; `None` for what is none.
    pub fn element(self) -> Option<Element> {
        self.does().product.map(|(_, element)| element)
    }

    /// Whether it is an access to a space, whatever it does there.
    pub fn is_in(self, space: Space) -> bool {
        self.space() == Some(space)
    }

    /// Whether it is an access of the copy engine, which one thread starts.
    pub fn is_bulk(self) -> bool {
        self.act().is_some() && self.is_async() && !self.does().is_by_lane
    }

    /// Whether it brings data of global memory to registers.
    pub fn loads_global(self) -> bool {
        self.is_in(Space::Global) && self.act() == Some(Act::Load)
    }

    /// Whether it brings data of shared memory to registers.
    pub fn loads_shared(self) -> bool {
        self.is_in(Space::Shared) && self.act() == Some(Act::Load)
    }

    /// Whether its lanes store registers to shared memory.
    pub fn stores_shared(self) -> bool {
        self.is_in(Space::Shared) && self.is_by_lane() && self.act() == Some(Act::Store)
    }

    /// Whether it copies from global to shared memory.
    pub fn copies_global(self) -> bool {
        self.is_in(Space::Global) && self.act() == Some(Act::Copy)
    }

    /// Whether it copies from global to shared memory, or closes a group of such copies.
    pub fn is_of_copies(self) -> bool {
        self.copies_global() || matches!(self.sync(), Some(Sync::CopyGroup | Sync::CopyArrive))
    }

    /// Whether it brings data of global memory to registers or to shared memory.
    pub fn reads_global(self) -> bool {
        self.loads_global() || self.copies_global()
    }

    /// Whether it writes or changes global memory.
    pub fn writes_global(self) -> bool {
        self.is_in(Space::Global) && matches!(self.act(), Some(Act::Store | Act::Atomic | Act::Reduction))
    }

    /// Whether it stores to global memory from registers.
    pub fn stores_global(self) -> bool {
        self.is_in(Space::Global) && self.act() == Some(Act::Store) && !self.is_bulk()
    }

    /// Whether it is an atomic that L2 does for the lanes.
    pub fn is_l2_atomic(self) -> bool {
        self.writes_global() && self.act() != Some(Act::Store) && !self.is_bulk()
    }

    /// Whether it brings a value from memory that others may write.
    pub fn brings_from_memory(self) -> bool {
        let brings = matches!(self.act(), Some(Act::Load | Act::Atomic | Act::Copy));
        brings && !self.is_in(Space::Constant)
    }

    /// Whether it loads constants for each lane, by the cache that serves one address at a time.
    pub fn loads_constants_by_lane(self) -> bool {
        self.is_in(Space::Constant) && self.is_by_lane()
    }

    /// Whether it is an access of the load and store unit, beside copies of tiles by the copy engine.
    pub fn is_lsu_access(self) -> bool {
        self.act().is_some()
            && matches!(self.space(), Some(Space::Global | Space::Shared | Space::Local))
            && !self.is_bulk()
    }

    /// Whether it is a part of a memory fence.
    pub fn is_fence(self) -> bool {
        matches!(self.sync(), Some(Sync::Fence | Sync::FenceEnd))
    }

    /// Whether a wait for its scoreboard is one for an access that goes through L1 (global, local, texture), or for an answer of an
    /// mbarrier, which comes back the same way.
    pub fn is_long(self) -> bool {
        let is_through_l1 =
            matches!(self.space(), Some(Space::Global | Space::Local | Space::Texture)) && !self.is_bulk();
        is_through_l1 || matches!(self.sync(), Some(Sync::Mbarrier | Sync::CopyArrive))
    }

    /// Whether it may run between a barrier that defers its blocking and the wait behind it: nothing that touches memory or other
    /// warps does.
    #[rustfmt::skip]
    pub fn passes_barriers(self) -> bool {
        let may = [
            Class::Constant, Class::Fp32, Class::Fp16, Class::Fp64, Class::FpCompare, Class::SpecialFunction, Class::Conversion,
            Class::Integer, Class::IntegerCompare, Class::Logic, Class::Move, Class::Predicate, Class::Control, Class::Uniform,
            Class::Other,
        ];
        self.is_of(&may)
    }

    /// Whether it runs on the datapath of the warp, with registers and predicates of the warp.
    pub fn is_uniform(self) -> bool {
        let votes_for_warp = self.computes() == Some(Computes::Voted) && self.name().ends_with('U');
        let is_named = self.name().starts_with('U') || votes_for_warp;
        is_named && !matches!(self.sync(), Some(Sync::ClusterArrive | Sync::ClusterWait))
    }

    pub(crate) fn shape(self) -> Shape {
        self.does().shape
    }
}

impl Class {
    /// The class of that id.
    pub fn of(id: &str) -> Option<Class> {
        Class::ALL.iter().copied().find(|class| class.id() == id)
    }

    /// Its opcodes.
    pub fn ops(self) -> impl Iterator<Item = Op> {
        Op::ALL.iter().copied().filter(move |op| op.class() == Some(self))
    }
}

/// The opcode of an instruction's text without guard and modifiers: `LDG` for `@!P0 LDG.E.128`.
pub fn base(instruction: &str) -> &str {
    let text = instruction.trim_start();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start()),
        None => text,
    };
    let is_end = |byte: &u8| matches!(byte, b'.' | b';') || byte.is_ascii_whitespace();
    &text[..text.as_bytes().iter().position(is_end).unwrap_or(text.len())]
}

impl serde::Serialize for Op {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for Op {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Op, D::Error> {
        let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Ok(Op::of(&name))
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Results;

    #[test]
    fn constants_are_loaded_by_lane_or_once_for_the_warp() {
        let by_lane = [Op::LDC, Op::ULDC, Op::LDCU, Op::LDG].map(Op::loads_constants_by_lane);
        assert_eq!(by_lane, [true, false, false, false]);
    }

    #[test]
    fn names_and_ids_are_their_own() {
        assert_eq!(BY_NAME.len(), Op::ALL.len());
        let ids: std::collections::BTreeSet<_> = Class::ALL.iter().map(|class| class.id()).collect();
        assert_eq!(ids.len(), Class::ALL.len());
        assert!(Class::ALL.iter().all(|class| class.ops().next().is_some()));
        assert!(Op::ALL.iter().all(|op| op.is_known() && ROWS[*op as usize].name == format!("{op:?}")));
    }

    #[test]
    fn predicate_and_modifiers_do_not_matter() {
        assert_eq!(base("@!UP0 UTMALDG.2D [UR8], [UR4]"), "UTMALDG");
        assert_eq!(base("EXIT;"), "EXIT");
        assert_eq!(base("@P0"), "");
        let class = |op| Op::of(op).class().map(Class::id);
        assert_eq!(class("LDG.E.128.CONSTANT"), Some("global-load"));
        assert_eq!(class("@P0 STL.128 [R1], R4"), Some("local-memory"));
        assert_eq!(class("HGMMA.64x128x16.F32"), Some("tensor-wgmma"));
        assert_eq!(class("LDTM.x8"), Some("tensor-memory"));
        assert_eq!(class("FROBNICATE"), None);
        assert_eq!(class(""), None);
    }

    fn names(holds: impl Fn(Op) -> bool) -> Vec<&'static str> {
        Op::ALL.iter().copied().filter(|op| holds(*op)).map(Op::name).collect()
    }

    #[test]
    fn what_opcodes_are() {
        assert_eq!(names(Op::is_bulk), ["UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF", "UBLKCP", "UBLKPF", "UBLKRED"]);
        let by_lane = ["LDG", "LD", "STG", "ST", "LDGSTS", "LDS", "STS", "LDL", "STL", "LDC"];
        assert_eq!(names(Op::is_by_lane), by_lane);
        assert_eq!(names(Op::reads_global), ["LDG", "LD", "LDGMC", "LDGSTS", "UTMALDG", "UBLKCP"]);
        assert_eq!(
            names(|op| op.told() == Told::Move),
            ["LDG", "STG", "LDGSTS", "UTMALDG", "UTMASTG", "UBLKCP", "LDS", "STS", "LDSM"]
        );
        assert_eq!(
            names(|op| op.product_by() == Some(ProductBy::Warp)),
            ["HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "BMMA"]
        );
        assert!(
            names(Op::passes_barriers).contains(&"BSYNC")
                && !Op::SYNCS.passes_barriers()
                && !Op::MOVM.passes_barriers()
        );
    }

    #[test]
    fn the_registers_of_opcodes_lie_by_their_shapes() {
        let compares = |op: Op| op.does().asks && op.does().results == Results::None && op.shape() != Shape::Other;
        assert_eq!(names(compares), ["DSETP", "FSETP", "HSETP2", "ISETP", "UISETP", "PLOP3", "UPLOP3"]);
        assert_eq!(names(|op| op.does().is_double), ["DADD", "DFMA", "DMUL"]);
        assert_eq!(names(|op| op.computes() == Some(Computes::Copied)), ["MOV"]);
        assert_eq!(names(|op| op.element() == Some(Element::Double)), ["DMMA"]);
        assert_eq!(names(|op| op.control() == Some(Control::Call)), ["CALL"]);
        assert_eq!(
            names(|op| op.pipe() == Some(Pipe::Xu)),
            ["MUFU", "F2F", "F2I", "I2F", "FRND", "BREV", "FLO", "POPC"]
        );
    }
}
