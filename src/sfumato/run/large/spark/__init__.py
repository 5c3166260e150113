"""The distributed engine: Apache Spark."""
