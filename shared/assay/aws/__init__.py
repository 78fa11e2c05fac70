"""Amazon's world: rows in DynamoDB, bodies in S3, messages in SQS, settings in SSM, what happened in CloudWatch."""

from assay.aws.dynamodb_table import DynamoTable
from assay.aws.remote_browser import LambdaBrowser
from assay.aws.s3_bucket import S3Bucket
from assay.aws.sqs_queue import SqsQueue
from assay.aws.ssm import api_keys
from assay.aws.telemetry import record

__all__ = ["DynamoTable", "LambdaBrowser", "S3Bucket", "SqsQueue", "api_keys", "record"]
