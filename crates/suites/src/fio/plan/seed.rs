//! Seeds: the same in every run and different for each job, unless something else is asked for.

use super::super::values::Values;
use super::super::world::World;

/// The seed of one job, by its number in the plan.
pub(super) fn of_job(values: &Values, number: u32, world: &World<'_>) -> u64 {
    let base = values.number("randseed").unwrap_or(0x89);
    // As in fio, a seed that was given counts whatever randrepeat says.
    let fresh = !values.is_on("randrepeat") && !values.has("randseed");
    let base = if fresh { base ^ world.entropy } else { base };
    mix(base.wrapping_add(u64::from(number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// SplitMix64's finalizer (Steele, Lea, Flood 2014): neighbouring inputs, unrelated outputs.
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A number from `min` to `max`, both included.
pub(super) fn between(seed: u64, min: u64, max: u64) -> u64 {
    let width = u128::from(max - min) + 1;
    min + u64::try_from((u128::from(mix(seed)) * width) >> 64).unwrap_or(0)
}
