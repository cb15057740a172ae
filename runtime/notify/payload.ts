import { createHash, createHmac } from 'node:crypto';
import type { Webhook } from '../../schemas/generated/types/runtimeconfig.ts';
import type { Notice } from '../../semantics/plan/notice.ts';
import { jsonText, visibleText } from '../../semantics/values/unsafe-text.ts';
import type { TargetKey } from '../observe/target-key.ts';

/** The longest message that is sent, characters. Everything else has a bound of its own. */
const LONGEST_MESSAGE = 1_000;

/** What is sent, as the configuration names it. */
export type WebhookEvent = NonNullable<Webhook['events']>[number];

/** A notice about one target: about its rollout, or that nothing is decided about it. */
export interface Delivery extends Pick<Notice, 'mark' | 'reason' | 'message'> {
  event: WebhookEvent;
  /** What waits for a person; undefined: no rollout does. */
  plan: Pick<Notice, 'digest' | 'step'> | undefined;
  key: TargetKey;
  /** Of the target. */
  uid: string;
  /** Since when, as RFC 3339. */
  since: string;
  /** What tells two events with one mark apart: what the cluster has on record of this one, whichever process reads it. */
  occurrence: string;
}

/** The same for one event, however often and by whichever process it is sent: a receiver can leave out what it has. */
export function deliveryId({ uid, plan, mark, occurrence }: Delivery): string {
  const text = JSON.stringify([uid, plan?.digest ?? '', mark, occurrence]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The body of a request. It has no unsafe character. */
export function payloadOf(delivery: Delivery, { format, source }: Webhook): string {
  const { event, plan, reason, key, since } = delivery;
  const message = cut(delivery.message);
  if (format === 'Text') return jsonText({ text: textOf({ ...delivery, message }, source) });
  const { group, kind, namespace, name } = key;
  return jsonText({
    id: deliveryId(delivery),
    event,
    ...(source !== undefined && { source }),
    target: { group, kind, ...(namespace !== '' && { namespace }), name },
    ...(plan !== undefined && { plan: { digest: plan.digest, step: plan.step } }),
    ...(reason !== undefined && { reason }),
    message,
    since,
  });
}

/** One line for a chat. */
function textOf({ event, key, plan, message }: Delivery, source: string | undefined): string {
  const from = source === undefined ? '' : `[${source}] `;
  const at = key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
  const step = plan === undefined ? '' : `, step ${plan.step}`;
  return `${from}${event}: ${key.kind} ${at}${step}: ${forChat(message)}`;
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
