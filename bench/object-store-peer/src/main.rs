//! Apache `object_store` as a peer: payloads unsigned, no retries, everything else as it comes.

use bench_common::{Job, Operation, measure};
use bytes::Bytes;
use futures_util::StreamExt;
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload, Result, RetryConfig};
use std::sync::Arc;

fn store(job: &Job) -> AmazonS3 {
    let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
    AmazonS3Builder::from_env()
        .with_bucket_name(&job.bucket)
        .with_allow_http(true)
        .with_virtual_hosted_style_request(false)
        .with_unsigned_payload(true)
        .with_retry(retry)
        .build()
        .expect("the AWS variables describe the server")
}

/// One operation; how many bytes it moved.
async fn operate(store: &AmazonS3, job: &Job, path: &Path, nth: u64, payload: &Bytes) -> Result<u64> {
    let (first, last) = job.range(nth);
    match job.operation {
        Operation::Put => store.put(path, PutPayload::from(payload.clone())).await.map(|_| job.bytes),
        Operation::Get => {
            let mut pieces = store.get(path).await?.into_stream();
            let mut bytes = 0;
            while let Some(piece) = pieces.next().await {
                bytes += piece?.len() as u64;
            }
            Ok(bytes)
        }
        Operation::GetBytes => Ok(store.get(path).await?.bytes().await?.len() as u64),
        Operation::Range => Ok(store.get_range(path, first..last + 1).await?.len() as u64),
        Operation::Open => {
            let size = store.head(path).await?.size;
            Ok(store.get_range(path, 0..size.min(job.bytes)).await?.len() as u64)
        }
    }
}

fn main() {
    let job = Arc::new(Job::from_args());
    let store = Arc::new(store(&job));
    let size = usize::try_from(job.bytes).expect("it fits into memory");
    measure(&job, |task| {
        let (job, store) = (job.clone(), store.clone());
        async move {
            // Of its own, as real data are: one buffer for all tasks would stay in the processor's cache.
            let payload = Bytes::from(vec![0x5a; size]);
            let path = Path::from(job.key(task));
            let mut bytes = 0;
            for nth in 0..job.each {
                bytes += operate(&store, &job, &path, nth, &payload).await.expect("the server answers well");
            }
            bytes
        }
    });
}
