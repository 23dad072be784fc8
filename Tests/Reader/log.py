"""A space's log, as the article on the format says: from a vault and a password to the newest state, and what it names."""
import copy
from cursor import Cursor
from segments import (
    COMMIT, COMMIT_RECORD, HEAD_PART, HEAD_RECORD, PAGES, RECORDS_START, Commit, Damage, Keys, Segment, State, parts)


class Log:
    def __init__(self, vault, password, is_original=False):
        """`is_original`: the vault counts as the one that was written, whenever its files were made."""
        self.vault, self.is_original = vault, is_original
        self.keys = Keys(vault.slot(password)[1])
        self.segments = {}

    # Files.

    def exists(self, epoch, index=0, branch=b""):
        return self.vault.file(self.keys.name(epoch, index, branch)).exists()

    def file(self, epoch, index=0, branch=b""):
        """A segment file of the name that these lead to, whatever it says itself."""
        return Segment(self.vault, self.keys, self.keys.name(epoch, index, branch), epoch)

    def segment(self, epoch, index, branch):
        """A segment that has to be the one that is asked for; None where it is missing or is not."""
        name = self.keys.name(epoch, index, branch)
        if name not in self.segments:
            self.segments[name] = self.file(epoch, index, branch) if self.exists(epoch, index, branch) else None
        found = self.segments[name]
        if found is None or not found.opens or (found.epoch, found.index, found.branch) != (epoch, index, branch):
            return None
        return found

    # 1. Search.

    def newest(self):
        newest, found = self.extended(0, 31), True
        while found:
            found = self.beyond(newest)
            newest = found or newest
        return newest

    def extended(self, number, limit):
        for bit in reversed(range(limit)):
            if self.exists(number | 1 << bit):
                number |= 1 << bit
        return number

    def beyond(self, newest):
        for bit in reversed(range(31)):
            if newest >> bit & 1:
                continue
            prefix = (newest >> bit | 1) << bit
            if self.exists(prefix):
                return self.extended(prefix, bit)
            for lower in reversed(range(bit)):
                if self.exists(prefix | 1 << lower):
                    return self.extended(prefix | 1 << lower, lower)
            if prefix - 1 > newest and self.exists(prefix - 1):
                return prefix - 1
        return next((number for number in range(newest + 16, newest, -1) if self.exists(number)), None)

    def listed_heads(self):
        """The numbers of all heads, by the segment header of every file."""
        heads = []
        for name in self.vault.listed():
            found = Segment(self.vault, self.keys, name)
            if found.opens and found.index == 0 and self.keys.name(found.epoch) == name:
                heads.append(found.epoch)
        return sorted(heads)

    # 2. Head, and 3. Copies.

    def head(self, epoch):
        """The state of a head, and where its records end; None where it cannot be read."""
        if not self.exists(epoch):
            return None
        segment = self.file(epoch)
        if segment.opens and (segment.epoch, segment.index) != (epoch, 0):
            return None
        if not segment.opens:
            segment.epoch, segment.index, segment.branch, segment.chain = epoch, 0, bytes(16), None
        cursor, data, total, part = Cursor(self, segment), b"", 1, 0
        while len(data) < total:
            record = cursor.next()
            if record is None or record.kind != HEAD_RECORD or record.first != part:
                return None
            plaintext = record.only_blob(HEAD_PART)
            if plaintext is None:
                return None
            data, total, part = data + plaintext, record.second, part + 1
        state = State(data)
        if state.epoch != epoch:
            return None
        if not segment.opens:
            # Once more, with what only the state says.
            segment.opens, segment.branch, segment.chain = True, state.branches[epoch], state.chain
            cursor = Cursor(self, segment)
            for _ in range(part):
                cursor.next()
        self.segments[self.keys.name(epoch)] = segment
        state.is_copy = not self.is_original and (state.birth == (0, 0) or segment.birth() != state.birth)
        return state, cursor

    def is_complete(self, state):
        for epoch, bits in state.present.items():
            for index in range(64):
                number = epoch << 6 | index
                if epoch == state.epoch or not bits >> index & 1 or number in state.retired:
                    continue
                path = self.vault.file(self.keys.name(epoch, index, state.branches[epoch]))
                is_last = number == state.previous_end >> 26
                needed = parts(state.previous_end)[2] if is_last else self.vault.segment_size
                if not path.exists() or not needed <= path.stat().st_size <= self.vault.segment_size:
                    return False
        return self.is_whole(state)

    def is_whole(self, state):
        """Whether the records of all segments that an earlier version may have overwritten meanwhile lead to their ends."""
        epochs = sorted(epoch for epoch in state.present if epoch >= state.oldest) if state.files else []
        return all(
            self.leads_to_its_end(epoch, index, after, state)
            for epoch, after in zip(epochs, epochs[1:]) for index in range(64)
            if state.present[epoch] >> index & 1 and epoch << 6 | index not in state.retired)

    def leads_to_its_end(self, epoch, index, after, state):
        """Whether the records of a segment lead to its end, if that is known; `after` is the epoch after its own."""
        branch, stated = state.branches[epoch], state.previous_end
        following = self.segment(epoch, index + 1, branch) if index < 63 else None
        if stated >> 26 == epoch << 6 | index:
            end = parts(stated)[2]
        elif following:
            end = following.previous_end
        else:
            stated = head[0].previous_end if (head := self.head(after)) else 0
            if stated >> 26 != epoch << 6 | index:
                return True
            end = parts(stated)[2]
        if not self.exists(epoch, index, branch):
            return False
        segment, offset = self.file(epoch, index, branch), RECORDS_START
        if not segment.opens or (segment.epoch, segment.index) != (epoch, index):
            return False
        while offset < end and (record := segment.record(offset)):
            offset = record.end
        return offset == end

    def open(self):
        """The newest state. While a space key replaces another, the state says which of them count."""
        both = self.keys
        if both.before is None:
            state = self.newest_state()
            if state.successor:
                raise Damage("another password replaced this one")
            return state
        try:
            state = self.newest_state()
            if state.epoch < both.boundary and state.successor == both.mark:
                return state
            if state.epoch >= both.boundary and state.is_rekeying:
                return state
            self.keys = both.alone() if state.epoch >= both.boundary else both.before
        except Damage:
            self.keys = both.before
        self.segments = {}
        return self.newest_state()

    def newest_state(self):
        """The newest state under these keys."""
        newest = highest = self.newest() or max(self.listed_heads(), default=0)
        found, passed_over = None, False
        for epoch in range(newest, max(0, newest - 16), -1):
            found = found or self.head(epoch)
        if found is None or found[0].is_copy:
            listed, found = self.listed_heads(), None
            highest = max([highest] + listed)
            while listed and found is None:
                found = self.head(listed.pop())
                if found is not None and not self.is_complete(found[0]):
                    found, passed_over = None, True
        if found is None:
            raise Damage("no head of the space can be read")
        state, cursor = found
        self.replay(state, cursor, state.is_copy)
        if passed_over:
            state.warnings.append("newer heads are not complete")
        for epoch in range(state.epoch + 1, highest + 1):
            if self.exists(epoch):
                state = self.later(state, epoch)
        return state

    # 4. Replay, and 5. Proof.

    def replay(self, state, cursor, is_copy=False):
        """Applies the commits that follow. Whether there is one that changes something, even if it does not count."""
        durable = state.end = cursor.position
        state.end_chain = cursor.chain if cursor.chain is not None else state.chain
        epoch, branch = cursor.segment.epoch, cursor.segment.branch
        state.branches[epoch] = branch
        state.present[epoch] = sum(1 << index for index in range(64) if self.exists(epoch, index, branch))
        records, commits, pending = [], [], []
        sequence, changes, is_broken, follows_gap = state.sequence, False, False, False
        while True:
            record, has_gap = cursor.next(), False
            if record is None:
                gap, record, has_gap = cursor.position, cursor.in_segment_behind_gap(), True
                if not record:
                    is_cut_off, record = is_copy and cursor.is_cut_off(), cursor.in_segments_behind_gap()
                    if is_cut_off:
                        if record:
                            state.warnings.append("the copy lacks a part of the log")
                        break
                if record and is_copy and state.files:
                    if self.was_durable(gap, record, cursor):
                        state.warnings.append("the copy has a gap where the log was durable")
                    break
            if record is None:
                break
            records.append((record, has_gap))
            if has_gap:
                pending, follows_gap = [], True
            if record.kind == PAGES:
                pending.append(record.pages())
            if record.kind != COMMIT_RECORD:
                continue
            body = record.only_blob(COMMIT)
            commit = body and Commit(record, body)
            if commit:
                durable, changes = max(durable, commit.flushed), changes or commit.changes
            if not is_broken and commit and commit.chain == (cursor.chain_before or commit.chain) \
                    and (not follows_gap or commit.sequence == sequence + 1) and commit.records <= len(pending) \
                    and all(page is not None for page in pending[len(pending) - commit.records:]):
                commit.pages = [page for pages in pending[len(pending) - commit.records:] for page in pages]
                cursor.chain = self.keys.chain_after(commit.chain, record.tag, epoch)
                commit.end, commit.end_chain, commit.count = cursor.position, cursor.chain, len(records)
                sequence = commit.sequence
                commits.append(commit)
                if commit.is_closing:
                    break
            else:
                is_broken = True
            pending, follows_gap = [], False
        while commits and not commits[-1].is_closing and not self.is_proven(commits[-1], records):
            commits.pop()
        for commit in commits:
            state.apply(commit)
        reached = state.end
        for record, has_gap in records[commits[-1].count if commits else 0:]:
            if has_gap or record.kind == COMMIT_RECORD:
                break
            reached = record.position - record.offset + record.end
        if durable > reached:
            state.warnings.append("a part of the newest log is damaged")
        return changes

    def was_durable(self, gap, record, cursor):
        """Whether a commit from `record` on says that the log was durable beyond the beginning of a gap before it, or
        a record follows a file that is short or missing."""
        epoch, index, _ = parts(gap)
        while record:
            body = record.only_blob(COMMIT) if record.kind == COMMIT_RECORD else None
            if body and Commit(record, body).flushed > gap:
                return True
            for passed in range(index, record.segment.index):
                path = self.vault.file(self.keys.name(epoch, passed, record.segment.branch))
                if not path.exists() or path.stat().st_size < self.vault.segment_size:
                    return True
            index = record.segment.index
            record = cursor.next() or cursor.behind_gap()
        return False

    def is_proven(self, commit, records):
        unproven = [(record, gap) for record, gap in records[:commit.count] if record.position >= commit.flushed]
        return all(
            record.authenticates() and not (gap and record.position > commit.flushed) for record, gap in unproven)

    # 6. Later epochs, and 7. Damage or the end?

    def later(self, state, epoch):
        """The state that a head leads to which cannot be read, or `state` with a warning if something is lost."""
        segment, further = self.file(epoch), copy.deepcopy(state)
        if not segment.opens:
            segments = sum(bits.bit_count() for bits in state.present.values())
            size = 104 + 12 * (state.heads + 1) + 28 * (len(state.branches) + 1) + 12 * segments + 8 * len(state.map)
            size += len(state.owner) + len(state.intents)
            is_loss = len(segment.content) > RECORDS_START + size + (size // 61440 + 1) * 80
        elif (segment.epoch, segment.index) != (epoch, 0):
            is_loss = True
        else:
            is_loss = self.replay(further, Cursor(self, segment))
            if is_loss and segment.chain == state.end_chain and not state.warnings:
                return further
            state.branches, state.present = further.branches, further.present
        state.present[epoch] = state.present.get(epoch, 0) | 1
        state.branches.setdefault(epoch, bytes(16))
        if is_loss:
            state.warnings.append("the newest head is damaged")
        return state

    # Reading.

    def read(self, state, place, count, kind):
        """The blob at a position."""
        epoch, index, offset = parts(place)
        segment = epoch in state.branches and self.segment(epoch, index, state.branches[epoch])
        if not segment and index == 0 and self.head(epoch):
            segment = self.segments[self.keys.name(epoch)]
        plaintext = segment.blob(offset, count, kind) if segment else None
        if plaintext is None:
            raise Damage(f"nothing opens at position {place}")
        return plaintext
