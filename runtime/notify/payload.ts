import { createHash, createHmac } from 'node:crypto';
import type { Webhook } from '../../schemas/generated/types/runtimeconfig.ts';
import type { Notice } from '../../semantics/plan/notice.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { jsonText, visibleText } from '../../semantics/values/unsafe-text.ts';
import type { TargetKey } from '../observe/target-key.ts';

/** The longest message that is sent, characters. Everything else has a bound of its own. */
const LONGEST_MESSAGE = 1_000;

/** A notice about one target. */
export interface Delivery extends Notice {
  key: TargetKey;
  /** Of the target. */
  uid: string;
  /** Since when the target shows why it is held, milliseconds since 1970. */
  since: number;
}

/** The same for one event, however often it is sent: a receiver can leave out what it has. */
export function deliveryId({ uid, digest, mark, since }: Delivery): string {
  const text = JSON.stringify([uid, digest, mark, timestamp(since)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The body of a request, the same for one event. It has no unsafe character. */
export function payloadOf(delivery: Delivery, { format, source }: Webhook): string {
  const { event, digest, step, reason, key, since } = delivery;
  const message = cut(delivery.message);
  if (format === 'Text') return jsonText({ text: textOf({ ...delivery, message }, source) });
  const { group, kind, namespace, name } = key;
  return jsonText({
    id: deliveryId(delivery),
    event,
    ...(source !== undefined && { source }),
    target: { group, kind, ...(namespace !== '' && { namespace }), name },
    plan: { digest, step },
    ...(reason !== undefined && { reason }),
    message,
    since: timestamp(since),
  });
}

/** One line for a chat. */
function textOf({ event, key, step, message }: Delivery, source: string | undefined): string {
  const from = source === undefined ? '' : `[${source}] `;
  const at = key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
  return `${from}${event}: ${key.kind} ${at}, step ${step}: ${forChat(message)}`;
}

/** Texts of kubelets and servers are in messages: in a chat they must neither mention anybody nor become a link with another text. */
function forChat(text: string): string {
  return visibleText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/@(?=all\b|channel\b|everyone\b|here\b)/gi, '(at)')
    .replaceAll('](', '] (');
}

function cut(text: string): string {
  const characters = text.slice(0, 2 * LONGEST_MESSAGE + 2);
  const whole = Array.from(characters);
  return whole.length > LONGEST_MESSAGE ? `${whole.slice(0, LONGEST_MESSAGE).join('')}…` : text;
}

/** The headers of a request with this body. */
export function headersOf(id: string, body: string, key: Uint8Array | undefined): Record<string, string> {
  const signature = key && createHmac('sha256', key).update(body).digest('hex');
  return {
    'kruise-delivery': id,
    ...(signature !== undefined && { 'kruise-signature': `sha256=${signature}` }),
  };
}
