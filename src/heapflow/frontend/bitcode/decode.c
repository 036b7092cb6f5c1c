/* Decodes the records of one bitstream block into a flat array.
 *
 * The same as `PlainBitstream` in bitstream.py, which is the reference; tests compare the two.
 * `decode.ll` is what clang makes of this file (make_kernel.py); llvmlite compiles it when it is
 * first needed. No headers, no calls, no memory of its own.
 *
 * Layout of the output: code, index of the next record, operand... per record. A blob appears as two
 * operands, its first byte and its size; a sub-block as block id, width, first bit, end bit.
 * Guarantees: reads only `bits` bits and the 16 zero bytes that the caller keeps behind them; writes
 * only what `room`, `pool_room` and `ids_room` allow.
 */
typedef unsigned char u8;
typedef unsigned long long u64;

enum { FINISHED, FULL, STOPPED, PAST_END, UNKNOWN_ABBREVIATION, BAD_ABBREVIATION, BAD_NUMBER,
       BAD_BLOCK };
enum { END_BLOCK, ENTER_SUBBLOCK, DEFINE_ABBREV, UNABBREV };
enum { LITERAL, FIXED, VBR, ARRAY, CHAR6, BLOB };
#define MOST_FIELDS 1024
#define SUBBLOCK (1ull << 32)
#define HAS_BLOB (1ull << 33)

struct job {
    u64 data, bits; /* address and length of the bitstream */
    u64 pool, pool_room; /* abbreviations: number of fields, (encoding, value) each */
    u64 ids, ids_room; /* places in the pool of the abbreviations that the block knows */
    u64 out, room;
    u64 pos, end, width; /* where to go on; the block's end and width of abbreviation ids */
    u64 stop; /* return after a record with this code */
    u64 used, pool_used, ids_used; /* of the output, the pool and the ids */
};

static inline u64 peek(const u8 *data, u64 pos) /* at least 57 bits */
{
    u64 word;
    __builtin_memcpy(&word, data + (pos >> 3), 8);
    return word >> (pos & 7);
}

static inline int fixed(const u8 *data, u64 bits, u64 *pos, u64 width, u64 *value)
{
    if (*pos + width > bits)
        return PAST_END;
    *value = peek(data, *pos) & ((1ull << width) - 1);
    *pos += width;
    return FINISHED;
}

static inline int vbr(const u8 *data, u64 bits, u64 *pos, u64 width, u64 *value)
{
    u64 high = 1ull << (width - 1), chunk, shift = 0, sum = 0;
    do {
        if (*pos + width > bits)
            return PAST_END;
        if (shift > 63)
            return BAD_NUMBER;
        chunk = peek(data, *pos);
        *pos += width;
        sum |= (chunk & (high - 1)) << shift;
        shift += width - 1;
    } while (chunk & high);
    *value = sum;
    return FINISHED;
}

static inline u64 char6(u64 c)
{
    return c < 26 ? 'a' + c : c < 52 ? 'A' + c - 26 : c < 62 ? '0' + c - 52 : c == 62 ? '.' : '_';
}

static inline int scalar(const u8 *data, u64 bits, u64 *pos, u64 encoding, u64 detail, u64 *value)
{
    int status = FINISHED;
    if (encoding == LITERAL) {
        *value = detail;
    } else if (encoding == CHAR6) {
        status = fixed(data, bits, pos, 6, value);
        *value = char6(*value & 63);
    } else if (!detail) {
        *value = 0;
    } else if (encoding == FIXED) {
        status = fixed(data, bits, pos, detail, value);
    } else {
        status = vbr(data, bits, pos, detail, value);
    }
    return status;
}

#define TRY(call) if ((status = (call))) return status

/* A DEFINE_ABBREV entry. Fields: scalars, then possibly an array with its element, or a blob. */
static int define(struct job *job, const u8 *data, u64 *pos)
{
    u64 *pool = (u64 *)job->pool, *ids = (u64 *)job->ids;
    u64 count, flag, encoding, value, at = job->pool_used, first = at;
    int status, done = 0;
    TRY(vbr(data, job->bits, pos, 5, &count));
    if (!count || count > MOST_FIELDS || 2 * count + 1 > job->pool_room - at ||
        job->ids_used >= job->ids_room)
        return BAD_ABBREVIATION;
    pool[at++] = count;
    for (u64 i = 0; i < count; i++) {
        if (done)
            return BAD_ABBREVIATION;
        TRY(fixed(data, job->bits, pos, 1, &flag));
        encoding = LITERAL;
        value = 0;
        if (flag) {
            TRY(vbr(data, job->bits, pos, 8, &value));
        } else {
            TRY(fixed(data, job->bits, pos, 3, &encoding));
            if (encoding == FIXED || encoding == VBR) {
                TRY(vbr(data, job->bits, pos, 5, &value));
                if (value > 32 || (encoding == VBR && value == 1))
                    return BAD_ABBREVIATION;
            } else if (encoding < ARRAY || encoding > BLOB) {
                return BAD_ABBREVIATION;
            }
        }
        if (i && pool[at - 2] == ARRAY) {
            if (encoding != FIXED && encoding != VBR && encoding != CHAR6)
                return BAD_ABBREVIATION;
            done = 1;
        } else if (encoding == ARRAY || encoding == BLOB) {
            if (!i || i + (encoding == ARRAY ? 2 : 1) != count)
                return BAD_ABBREVIATION;
        }
        pool[at++] = encoding;
        pool[at++] = value;
    }
    ids[job->ids_used++] = first;
    job->pool_used = at;
    return FINISHED;
}

static int unabbreviated(struct job *job, const u8 *data, u64 *pos, u64 at)
{
    u64 *out = (u64 *)job->out;
    u64 count, code;
    int status;
    TRY(vbr(data, job->bits, pos, 6, &code));
    TRY(vbr(data, job->bits, pos, 6, &count));
    if (code >= SUBBLOCK)
        return BAD_NUMBER;
    if (count > (job->bits - *pos) / 6)
        return PAST_END;
    if (count + 2 > job->room - at)
        return FULL;
    out[at] = code;
    out[at + 1] = at + 2 + count;
    for (u64 i = 0; i < count; i++)
        TRY(vbr(data, job->bits, pos, 6, &out[at + 2 + i]));
    return FINISHED;
}

static int array(struct job *job, const u8 *data, u64 *pos, const u64 *element, u64 *at)
{
    u64 *out = (u64 *)job->out;
    u64 encoding = element[0], width = encoding == CHAR6 ? 6 : element[1], count;
    int status;
    TRY(vbr(data, job->bits, pos, 6, &count));
    if (count > (job->bits - *pos) / (width ? width : 1))
        return PAST_END;
    if (count > job->room - *at)
        return FULL;
    for (u64 i = 0; i < count; i++)
        TRY(scalar(data, job->bits, pos, encoding, width, &out[*at + i]));
    *at += count;
    return FINISHED;
}

static int abbreviated(struct job *job, const u8 *data, u64 *pos, u64 at, const u64 *field)
{
    u64 *out = (u64 *)job->out;
    u64 count = *field++, start = at, code;
    int status;
    if (count + 3 > job->room - at)
        return FULL;
    TRY(scalar(data, job->bits, pos, field[0], field[1], &code));
    if (code >= SUBBLOCK)
        return BAD_NUMBER;
    at += 2;
    for (u64 i = 1; i < count; i++) {
        field += 2;
        if (field[0] == ARRAY) {
            TRY(array(job, data, pos, field + 2, &at));
            break;
        }
        if (field[0] == BLOB) {
            u64 size;
            TRY(vbr(data, job->bits, pos, 6, &size));
            *pos = (*pos + 31) & ~31ull;
            if (*pos > job->bits || size > (job->bits - *pos) / 8)
                return PAST_END;
            out[at++] = *pos / 8;
            out[at++] = size;
            *pos = (*pos + size * 8 + 31) & ~31ull;
            code |= HAS_BLOB;
            break;
        }
        TRY(scalar(data, job->bits, pos, field[0], field[1], &out[at++]));
    }
    out[start] = code;
    out[start + 1] = at;
    return FINISHED;
}

static int subblock(struct job *job, const u8 *data, u64 *pos, u64 at)
{
    u64 *out = (u64 *)job->out;
    u64 id, width, words;
    int status;
    if (6 > job->room - at)
        return FULL;
    TRY(vbr(data, job->bits, pos, 8, &id));
    TRY(vbr(data, job->bits, pos, 4, &width));
    *pos = (*pos + 31) & ~31ull;
    TRY(fixed(data, job->bits, pos, 32, &words));
    if (words * 32 > job->bits - *pos || width < 2 || width > 32)
        return BAD_BLOCK;
    out[at] = SUBBLOCK;
    out[at + 1] = at + 6;
    out[at + 2] = id;
    out[at + 3] = width;
    out[at + 4] = *pos;
    *pos += words * 32;
    out[at + 5] = *pos;
    return FINISHED;
}

/* Records from `pos` on, behind the first `used` words of the output, until the block ends, `stop` was
 * read, or there is no room: then the caller makes some and calls again. */
int decode(struct job *job)
{
    const u8 *data = (const u8 *)job->data;
    const u64 *pool = (const u64 *)job->pool, *ids = (const u64 *)job->ids;
    u64 *out = (u64 *)job->out;
    u64 pos = job->pos, at = job->used, id;
    int status;
    while (pos < job->end) {
        TRY(fixed(data, job->bits, &pos, job->width, &id));
        if (id == END_BLOCK) {
            job->pos = pos;
            return FINISHED;
        }
        if (id == DEFINE_ABBREV) {
            TRY(define(job, data, &pos));
            job->pos = pos;
            continue;
        }
        if (id == ENTER_SUBBLOCK)
            status = subblock(job, data, &pos, at);
        else if (id == UNABBREV)
            status = unabbreviated(job, data, &pos, at);
        else if (id - 4 >= job->ids_used)
            return UNKNOWN_ABBREVIATION;
        else
            status = abbreviated(job, data, &pos, at, pool + ids[id - 4]);
        if (status)
            return status;
        job->pos = pos;
        job->used = out[at + 1];
        if (out[at] == job->stop)
            return STOPPED;
        at = job->used;
    }
    return FINISHED;
}
