"""Amazon's world: rows in DynamoDB, bodies in S3, messages in SQS, settings in SSM, what happened in CloudWatch."""

from assay.aws.browser import LambdaBrowser
from assay.aws.bucket import S3Bucket
from assay.aws.observe import record
from assay.aws.parameters import api_keys
from assay.aws.queue import SqsQueue
from assay.aws.table import DynamoTable

__all__ = ["DynamoTable", "LambdaBrowser", "S3Bucket", "SqsQueue", "api_keys", "record"]
