"""AWS adapters: DynamoDB table, S3 bucket, SQS queue, SSM parameters, CloudWatch telemetry, browser function."""

from assay.aws.dynamodb_table import DynamoTable
from assay.aws.remote_browser import LambdaBrowser
from assay.aws.s3_bucket import S3Bucket
from assay.aws.sqs_queue import SqsQueue
from assay.aws.ssm import parameters
from assay.aws.telemetry import record

__all__ = ["DynamoTable", "LambdaBrowser", "S3Bucket", "SqsQueue", "parameters", "record"]
