//! Random numbers for a job: a generator, and a permutation that visits each block once without remembering any.
//!
//! Which numbers are drawn for what is the business of the modules that use them; see [`super::distribution`].

/// SplitMix64 (Steele, Lea, Flood 2014): one step, as a hash.
#[inline]
pub(crate) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// xoshiro256++ 1.0 (Blackman, Vigna 2019). The same seed gives the same numbers on every host.
#[derive(Clone, Debug)]
pub(crate) struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// Seeded by SplitMix64, as its authors advise; any seed is good, 0 too.
    #[must_use]
    pub(crate) fn new(seed: u64) -> Self {
        let step = 0x9E37_79B9_7F4A_7C15_u64;
        Self { state: [0, 1, 2, 3].map(|i: u64| mix(seed.wrapping_add(step.wrapping_mul(i)))) }
    }

    /// A generator of its own for one `purpose` (offsets, sizes, directions, …) of a job, so that drawing more numbers
    /// for one purpose leaves the others as they are.
    #[must_use]
    pub(crate) fn derived(seed: u64, purpose: u64) -> Self {
        Self::new(mix(seed) ^ mix(!purpose).rotate_left(32))
    }

    /// Any 64 bits.
    #[inline]
    pub(crate) fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.state;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.state = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    /// 0 to `n` - 1, each equally likely; 0 when `n` is 0. Lemire 2019: no division but in one of 2^64 / `n` cases.
    #[inline]
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let reject = n.wrapping_neg() % n;
            while (product as u64) < reject {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    /// 0 (included) to 1 (excluded) in steps of 2^-53.
    #[inline]
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

const ROUNDS: usize = 3;

/// A keyed bijection of 0..`n`: what a shuffled list of all blocks would hold, without the list.
///
/// Rounds of multiply-add and xorshift are bijections of 0..2^bits; where one leaves 0..n, it is applied again until it
/// is back (cycle walking), less than twice on average because 2^bits < 2 n.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    n: u64,
    mask: u64,
    shift: u32,
    keys: [(u64, u64); ROUNDS],
}

impl Permutation {
    /// Of 0..`n`; another `seed` is another permutation.
    #[must_use]
    pub(crate) fn new(n: u64, seed: u64) -> Self {
        let bits = u64::BITS - n.saturating_sub(1).leading_zeros();
        let mask = if bits == 0 { 0 } else { u64::MAX >> (u64::BITS - bits) };
        let mut rng = Rng::derived(seed, n);
        // Multipliers that are 5 modulo 8, as for linear congruential generators; only their low `bits` bits count.
        let keys = [(); ROUNDS].map(|()| (rng.next_u64() & !7 | 5, rng.next_u64()));
        Self { n, mask, shift: (bits / 2).max(1), keys }
    }

    /// How many there are.
    #[must_use]
    pub(crate) fn len(&self) -> u64 {
        self.n
    }

    /// Where `i` goes. `i` must be below `n`; every other value goes round from the beginning.
    #[inline]
    #[must_use]
    pub(crate) fn at(&self, i: u64) -> u64 {
        if self.n < 2 {
            return 0;
        }
        let mut value = self.round_trip(if i < self.n { i } else { i % self.n });
        while value >= self.n {
            value = self.round_trip(value);
        }
        value
    }

    #[inline]
    fn round_trip(&self, mut value: u64) -> u64 {
        for (factor, term) in self.keys {
            value = value.wrapping_mul(factor).wrapping_add(term) & self.mask;
            value ^= value >> self.shift;
        }
        value
    }
}

#[cfg(test)]
#[path = "random_tests.rs"]
mod tests;
