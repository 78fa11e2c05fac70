"""AWS adapters: DynamoDB table, S3 bucket, SQS queue, SSM parameters, CloudWatch telemetry, browser function."""
