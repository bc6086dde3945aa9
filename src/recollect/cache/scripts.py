"""What Redis must do in one step: fill under a claim, extend by the next number."""

from __future__ import annotations

import hashlib

from recollect.cache.entries import HEAD, STAMP


class Script:
    """A script, and the name that servers know it by."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


#: KEYS entry, claim; ARGV token, value, milliseconds. Refused without the claim, or below a higher number.
FILL = Script(f"""
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
local there = redis.call('GETRANGE', KEYS[1], 0, {HEAD - 1})
if #there == {HEAD} and string.sub(there, 1, {STAMP}) == string.sub(ARGV[2], 1, {STAMP})
   and string.sub(there, {STAMP + 2}) > string.sub(ARGV[2], {STAMP + 2}, {HEAD}) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
""")

#: KEYS entries by id, claim; ARGV token, value, milliseconds, id, most.
FILL_ONE = Script("""
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], ARGV[4], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
""")

#: KEYS contexts by question, claim; ARGV token, value, its end in milliseconds of this server's clock, question,
#: most. All of them end with the first that does. Different questions are filled under one claim, which stays.
FILL_CONTEXT = Script("""
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
local now = redis.call('TIME')
local left = tonumber(ARGV[3]) - (now[1] * 1000 + math.floor(now[2] / 1000))
if left <= 0 then return 0 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then redis.call('UNLINK', KEYS[1]) end
local ends = redis.call('PTTL', KEYS[1])
redis.call('HSET', KEYS[1], ARGV[4], ARGV[2])
if ends < 0 or ends > left then redis.call('PEXPIRE', KEYS[1], left) end
return 1
""")

#: KEYS mark; ARGV a new one, milliseconds. The one that is there, unless it is of another time or server.
MARK = Script(f"""
local there = redis.call('GET', KEYS[1])
if there and string.sub(there, 1, {STAMP}) == string.sub(ARGV[1], 1, {STAMP}) then return there end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
""")

#: KEYS tail, claim, contexts, claim; ARGV stamp, number before the new ones, last number, lines, milliseconds,
#: most bytes. Whoever read the database before this append must not fill any more, and contexts are old. A tail
#: that already has the numbers stays; one that they do not follow is dropped.
EXTEND = Script(f"""
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
local there = redis.call('GETRANGE', KEYS[1], 0, {HEAD - 1})
if #there < {HEAD} then return 0 end
local number = string.sub(there, {STAMP + 2})
if string.sub(there, 1, {STAMP}) == ARGV[1] then
  if number >= ARGV[3] then return 1 end
  if number == ARGV[2] and redis.call('STRLEN', KEYS[1]) + #ARGV[4] <= tonumber(ARGV[6]) then
    redis.call('SETRANGE', KEYS[1], {STAMP + 1}, ARGV[3])
    redis.call('APPEND', KEYS[1], ARGV[4])
    redis.call('PEXPIRE', KEYS[1], ARGV[5])
    return 2
  end
end
redis.call('DEL', KEYS[1])
return 0
""")
