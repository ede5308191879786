"""A path as one page to explore: self-contained, without a network (extra ``report``)."""

from thresher.report.page import Report, report_path
from thresher.report.rows import fate_counts, kink_rows

__all__ = ["Report", "fate_counts", "kink_rows", "report_path"]
