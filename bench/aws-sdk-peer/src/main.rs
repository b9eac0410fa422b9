//! The AWS SDK for Rust as a peer. Variant `default`: as users have it, checksums and signed payloads included. Variant
//! `tuned`: checksums only where S3 insists, payloads unsigned, no guard against stalled streams. No retries in either.

use aws_config::retry::RetryConfig;
use aws_config::stalled_stream_protection::StalledStreamProtectionConfig;
use aws_sdk_s3::Client;
use aws_sdk_s3::config::{RequestChecksumCalculation, ResponseChecksumValidation};
use aws_sdk_s3::primitives::ByteStream;
use bench_common::{Job, Operation, measure};
use bytes::Bytes;
use std::sync::Arc;

async fn client(tuned: bool) -> Client {
    let shared = aws_config::from_env().retry_config(RetryConfig::disabled()).load().await;
    let mut config = aws_sdk_s3::config::Builder::from(&shared).force_path_style(true);
    if tuned {
        config = config
            .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
            .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled());
    }
    Client::from_conf(config.build())
}

async fn drain(mut body: ByteStream) -> u64 {
    let mut bytes = 0;
    while let Some(piece) = body.next().await {
        bytes += piece.expect("the body ends well").len() as u64;
    }
    bytes
}

/// One operation; how many bytes it moved.
async fn operate(client: &Client, job: &Job, key: &str, nth: u64, payload: &Bytes) -> u64 {
    let get = || client.get_object().bucket(&job.bucket).key(key);
    let (first, last) = job.range(nth);
    match job.operation {
        Operation::Put => {
            let put = client.put_object().bucket(&job.bucket).key(key).body(ByteStream::from(payload.clone()));
            match job.variant.as_str() {
                "tuned" => put.customize().disable_payload_signing().send().await.map(drop),
                _ => put.send().await.map(drop),
            }
            .expect("the server answers well");
            job.bytes
        }
        Operation::Get => drain(get().send().await.expect("the server answers well").body).await,
        Operation::GetBytes => {
            let body = get().send().await.expect("the server answers well").body;
            body.collect().await.expect("the body ends well").into_bytes().len() as u64
        }
        Operation::Range | Operation::Open => {
            if job.operation == Operation::Open {
                client.head_object().bucket(&job.bucket).key(key).send().await.expect("the server answers well");
            }
            let range = get().range(format!("bytes={first}-{last}"));
            drain(range.send().await.expect("the server answers well").body).await
        }
    }
}

fn main() {
    let job = Arc::new(Job::from_args());
    let tuned = job.variant == "tuned";
    let size = usize::try_from(job.bytes).expect("it fits into memory");
    // The client works on whatever runtime uses it; loading its configuration needs one, too.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = runtime.block_on(client(tuned));
    measure(&job, |task| {
        let (job, client) = (job.clone(), client.clone());
        async move {
            // Of its own, as real data are: one buffer for all tasks would stay in the processor's cache.
            let payload = Bytes::from(vec![0x5a; size]);
            let key = job.key(task);
            let mut bytes = 0;
            for nth in 0..job.each {
                bytes += operate(&client, &job, &key, nth, &payload).await;
            }
            bytes
        }
    });
}
