//! Which file is next (`file_service_type`, `openfiles`).

use super::distribution::Sampler;
use super::random::Rng;
use fsbench_model::job::{Distribution, Serve, ServeOrder};

/// Chooses among the files that are open and not done.
pub(crate) struct Chooser {
    order: Order,
    every: u32,
    /// Requests left for the present file.
    left: u32,
    current: usize,
    /// Files that take part now, as indexes, and the next that will when one is done.
    active: Vec<usize>,
    next: usize,
    /// All files are done, and more is wanted: around and around, whatever the order.
    around: bool,
    files: usize,
    open_max: usize,
    rng: Rng,
}

enum Order {
    RoundRobin,
    Sequential,
    Random,
    Skewed(Box<Sampler>),
}

impl Chooser {
    pub(crate) fn new(serve: &Serve, files: usize, open_max: usize, rng: Rng) -> Self {
        let skewed = |distribution: &Distribution| {
            Order::Skewed(Box::new(Sampler::new(distribution, files.max(1) as u64, 1, 11)))
        };
        let order = match serve.order {
            ServeOrder::RoundRobin => Order::RoundRobin,
            ServeOrder::Sequential => Order::Sequential,
            ServeOrder::Random => Order::Random,
            ServeOrder::Zipf(theta) => skewed(&Distribution::Zipf { theta, center: None }),
            ServeOrder::Pareto(power) => skewed(&Distribution::Pareto { power, center: None }),
            ServeOrder::Normal(deviation) => skewed(&Distribution::Normal { deviation, center: None }),
        };
        // One file after the other, in the order of their numbers: the next takes the place of the one that is done.
        let open_max = if matches!(order, Order::Sequential) { 1 } else { open_max.clamp(1, files.max(1)) };
        let every = serve.every.max(1);
        let mut chooser = Self {
            order,
            every,
            left: every,
            current: 0,
            active: Vec::new(),
            next: 0,
            around: false,
            files,
            open_max,
            rng,
        };
        chooser.again();
        chooser
    }

    /// All files take part again.
    pub(crate) fn again(&mut self) {
        if self.files > 1 {
            self.active = (0..self.open_max).collect();
        }
        self.around = false;
        (self.next, self.current, self.left) = (self.open_max, 0, self.every);
    }

    /// The file for the next request; `None` when all are done. A job that may do more than all files have goes around
    /// (`more` bytes are still allowed).
    #[inline]
    pub(crate) fn file(&mut self, open: impl Fn(usize) -> bool, more: u64) -> Option<usize> {
        if self.files == 1 {
            return Some(0);
        }
        self.among(open, more)
    }

    fn among(&mut self, open: impl Fn(usize) -> bool, more: u64) -> Option<usize> {
        if self.around {
            self.current = (self.current + 1) % self.files;
            return Some(self.current);
        }
        while !self.active.is_empty() {
            let place = self.place();
            let file = self.active[place];
            if open(file) {
                return Some(file);
            }
            self.replace(place);
        }
        if more == 0 || self.files == 0 {
            return None;
        }
        // Every file was done once, and more is wanted.
        (self.around, self.current) = (true, 0);
        Some(0)
    }

    fn place(&mut self) -> usize {
        let count = self.active.len();
        if self.left > 0 && self.current < count && !matches!(self.order, Order::Sequential) {
            self.left -= 1;
            return self.current;
        }
        self.left = self.every - 1;
        self.current = match &mut self.order {
            Order::RoundRobin => (self.current + 1) % count,
            Order::Sequential => 0,
            Order::Random => self.rng.below(count as u64) as usize,
            Order::Skewed(sampler) => (sampler.next(&mut self.rng) as usize) % count,
        };
        self.current
    }

    /// A file is done: the next one that was not open yet takes its place.
    fn replace(&mut self, place: usize) {
        if self.next < self.files {
            self.active[place] = self.next;
            self.next += 1;
        } else {
            self.active.swap_remove(place);
            self.current = place.saturating_sub(1);
        }
    }
}
