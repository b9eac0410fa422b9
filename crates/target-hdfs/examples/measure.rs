//! What this target costs and reaches on one HDFS: `measure hdfs://HOST:PORT/DIR THREADS MIB [CHUNK]`.
//!
//! Prints rate, calls for each second, and client CPU of writes, reads, stats, listings and small files. The figures in
//! `src/engine.rs` are from here. It leaves only the directory behind.

use fsbench_target::{Buffer, FileId, Io, IoKind, NoProbe, OpenMode, OpenOptions, Session, Target};
use fsbench_target_hdfs::{HdfsConfig, HdfsTarget};
use std::rc::Rc;
use std::time::Instant;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<f64> = after.split(' ').filter_map(|field| field.parse().ok()).collect();
    // The state is no number: user and system time are the 11th and 12th that are left.
    (fields.get(10).unwrap_or(&0.0) + fields.get(11).unwrap_or(&0.0)) / 100.0
}

struct Bench {
    target: HdfsTarget,
    threads: usize,
}

impl Bench {
    /// Runs `work` in each thread: what it returns is counted.
    fn run(&self, name: &str, unit: f64, work: impl Fn(&mut dyn Session, usize) -> Result<u64, Failure> + Sync) {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let total: Result<u64, Failure> = std::thread::scope(|scope| {
            let work = &work;
            let all: Vec<_> = (0..self.threads)
                .map(|index| scope.spawn(move || work(&mut *self.target.session(Rc::new(NoProbe))?, index)))
                .collect();
            all.into_iter().map(|thread| thread.join().map_err(|_| Failure::from("a thread panicked"))?).sum()
        });
        let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        match total {
            Ok(total) => {
                let done = total as f64 / unit;
                println!("{name:<12} {:>9.1}/s {:>9.3} CPU-s per 1000   {wall:.2} s", done / wall, cpu / done * 1000.0);
            }
            Err(error) => println!("{name:<12} {error}"),
        }
    }
}

fn request(
    session: &mut dyn Session,
    file: FileId,
    kind: IoKind,
    offset: u64,
    buffer: Buffer,
) -> Result<(usize, Buffer), Failure> {
    let mut done = Vec::with_capacity(1);
    session.submit(Io { tag: 0, file, kind, offset, len: buffer.len(), buffer })?;
    session.reap(1, &mut done)?;
    let completion = done.pop().ok_or("no completion")?;
    Ok((completion.result?, completion.buffer))
}

fn write(session: &mut dyn Session, name: &str, size: u64, chunk: usize) -> Result<u64, Failure> {
    let file = session.open(name, OpenOptions { mode: OpenMode::CreateOrReplace, size_hint: Some(size) })?;
    let mut buffer = Buffer::new(chunk);
    let mut offset = 0;
    while offset < size {
        offset += {
            let (count, back) = request(session, file, IoKind::Write, offset, buffer)?;
            buffer = back;
            count
        } as u64;
    }
    session.close(file)?;
    Ok(offset)
}

fn read(session: &mut dyn Session, name: &str, size: u64, chunk: usize, stride: u64) -> Result<u64, Failure> {
    let file = session.open(name, OpenOptions { mode: OpenMode::Read, size_hint: Some(size) })?;
    let mut buffer = Buffer::new(chunk);
    let (mut total, mut offset) = (0, 0);
    while offset < size {
        let (count, back) = request(session, file, IoKind::Read, offset, buffer)?;
        (buffer, total, offset) = (back, total + count as u64, offset + stride);
    }
    session.close(file)?;
    Ok(total)
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().collect();
    let number = |index: usize, default: u64| args.get(index).and_then(|text| text.parse().ok()).unwrap_or(default);
    let uri = args.get(1).ok_or("measure hdfs://HOST:PORT/DIR THREADS MIB [CHUNK]")?;
    let (config, _) = HdfsConfig::resolve(uri, &[], &|name| std::env::var(name).ok(), None)?;
    let bench = Bench { target: HdfsTarget::new(config)?, threads: number(2, 1) as usize };
    let (size, chunk) = (number(3, 256) << 20, number(4, 1_000_000) as usize);
    bench.target.session(Rc::new(NoProbe))?.mkdir("")?;
    let name = |index: usize| format!("measure_{index}");
    let mb = 1e6;
    bench.run("write MB", mb, |session, index| write(session, &name(index), size, chunk));
    bench.run("read MB", mb, |session, index| read(session, &name(index), size, chunk, chunk as u64));
    bench.run("pread MB", mb, |session, index| read(session, &name(index), size, chunk, chunk as u64 + 1));
    bench.run("pread 64K", 1.0, |session, index| Ok(read(session, &name(index), size, 65_536, 262_144)? / 65_536));
    bench.run("stat", 1.0, |session, index| (0..5000).map(|_| Ok(session.stat(&name(index)).map(|_| 1)?)).sum());
    bench.run("list", 1.0, |session, _| (0..2000).map(|_| Ok(session.list("", None).map(|_| 1)?)).sum());
    bench.run("small files", 1.0, |session, index| {
        (0..50).map(|_| write(session, &format!("small_{index}"), 4096, 4096).map(|_| 1)).sum()
    });
    bench.run("delete", 1.0, |session, index| {
        session.delete(&name(index))?;
        Ok(session.delete(&format!("small_{index}")).map(|()| 2)?)
    });
    Ok(())
}
