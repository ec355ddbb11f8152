"""Stored sessions as records for readers: exchanges, requests, calls, and other events."""

from __future__ import annotations

from inarch.contract.transcripts import Answered as Answered
from inarch.contract.transcripts import Call as Call
from inarch.contract.transcripts import Change as Change
from inarch.contract.transcripts import Data as Data
from inarch.contract.transcripts import Exchange as Exchange
from inarch.contract.transcripts import Exporter as Exporter
from inarch.contract.transcripts import Remark as Remark
from inarch.contract.transcripts import Request as Request
from inarch.contract.transcripts import Span as Span
from inarch.contract.transcripts import Spent as Spent
from inarch.contract.transcripts import Step as Step
from inarch.contract.transcripts import Transcript as Transcript
from inarch_sdk.exchanges import Reading as Reading
