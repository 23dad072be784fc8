"""A walk through the records of an epoch, and over gaps in them."""
from segments import RECORDS_START, position


class Cursor:
    """Reads the records of an epoch in order."""

    def __init__(self, log, segment):
        self.log, self.segment, self.offset, self.chain = log, segment, RECORDS_START, segment.chain
        self.chain_before = None

    @property
    def position(self):
        return position(self.segment.epoch, self.segment.index, self.offset)

    def take(self, record):
        self.chain_before = self.chain
        self.chain = self.chain and self.log.keys.chain_after(self.chain, record.tag, self.segment.epoch)
        self.offset = record.end
        return record

    def begin(self, segment):
        self.segment, self.offset, self.chain = segment, RECORDS_START, segment.chain

    def following(self, step=1):
        index = self.segment.index + step
        return self.log.segment(self.segment.epoch, index, self.segment.branch) if index < 64 else None

    def next(self):
        """The next record; None at the end or before a gap."""
        while True:
            if record := self.segment.record(self.offset):
                return self.take(record)
            following = self.following()
            if following is None or following.previous_end != self.offset \
                    or following.chain != (self.chain or following.chain):
                return None
            self.begin(following)

    def behind_gap(self):
        """The next record behind a gap; None at the end."""
        return self.in_segment_behind_gap() or self.in_segments_behind_gap()

    def in_segment_behind_gap(self):
        """The next record behind a gap in the same segment."""
        while self.offset + 48 <= min(len(self.segment.content), self.log.vault.segment_size):
            if record := self.segment.record(self.offset):
                return self.take(record)
            self.offset, self.chain = self.offset + 16, None
        return None

    def in_segments_behind_gap(self):
        """The next record in the segments that follow."""
        while following := next((found for step in range(1, 64) if (found := self.following(step))), None):
            self.begin(following)
            if record := self.in_segment_behind_gap():
                return record
        return None

    def is_cut_off(self):
        """Whether the segment file is short, or the next one is missing."""
        if len(self.segment.content) < self.log.vault.segment_size:
            return True
        index = self.segment.index + 1
        path = self.log.vault.file(self.log.keys.name(self.segment.epoch, index, self.segment.branch))
        return index < 64 and not path.exists()
