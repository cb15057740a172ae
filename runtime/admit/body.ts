import type { IncomingMessage } from 'node:http';
import type { Share } from './budget.ts';

/** The largest request that an API server sends, with room for what surrounds the object, bytes. */
const MOST_BYTES = 3 * 1024 * 1024;
/** How much of a body that is too large is read for its names, bytes. */
const HEAD_BYTES = 64 * 1024;
/** What a piece takes beside its bytes: a body may come in pieces of one byte. */
const PIECE_BYTES = 256;

export type Body =
  | { text: string }
  /** More than is read: the beginning of it. */
  | { head: string }
  /** It ended early. */
  | 'closed'
  /** Its share was taken away. */
  | 'dropped';

/**
 * The body of a request. Of one that says to be too large only the beginning is read.
 *
 * @param share takes what is held in memory
 */
export async function readBody(request: IncomingMessage, share: Share): Promise<Body> {
  const isLarge = Number(request.headers['content-length']) > MOST_BYTES;
  const most = isLarge ? HEAD_BYTES : MOST_BYTES;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (!share.take(chunk.length + PIECE_BYTES)) return 'dropped';
      if (size > most) return { head: Buffer.concat(chunks).subarray(0, HEAD_BYTES).toString('utf8') };
    }
  } catch {
    return 'closed';
  }
  return { text: Buffer.concat(chunks).toString('utf8') };
}
