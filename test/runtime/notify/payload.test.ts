import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { deliveryId, headersOf, payloadOf } from '../../../runtime/notify/payload.ts';
import { isPlainText } from '../../../semantics/values/unsafe-text.ts';
import * as fc from '../../property.ts';
import { deliveryAbout } from './delivery.ts';

const event = { url: 'http://chat/', format: 'Event' } as const;
const text = { url: 'http://chat/', format: 'Text', source: 'prod-eu' } as const;

test('the body of an event, field by field', () => {
  const delivery = deliveryAbout('web', { event: 'Halted', mark: 'Halted 1', reason: 'Timeout' });
  expect(JSON.parse(payloadOf(delivery, { ...event, source: 'prod-eu' }))).toEqual({
    id: deliveryId(delivery),
    event: 'Halted',
    source: 'prod-eu',
    target: { group: 'apps.kruise.io', kind: 'CloneSet', namespace: 'shop', name: 'web' },
    plan: { digest: 'h1:a', step: 'look' },
    reason: 'Timeout',
    message: 'waits for approval',
    since: '2026-01-01T00:00:00Z',
  });
});

test('the body for a chat is one text', () => {
  const message = 'pod web-1: <!channel> @here [run](https://evil) & more';
  expect(JSON.parse(payloadOf(deliveryAbout('web', { message }), text))).toEqual({
    text: '[prod-eu] AwaitingApproval: CloneSet shop/web, step look: pod web-1: &lt;!channel&gt; (at)here [run] (https://evil) &amp; more',
  });
});

test('whatever a message has in it: one body, bounded, without unsafe characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5_000 }), (message) => {
      const delivery = deliveryAbout('web', { message });
      for (const webhook of [event, text]) {
        const body = payloadOf(delivery, webhook);
        expect(payloadOf({ ...delivery }, webhook)).toBe(body);
        expect(Buffer.byteLength(body)).toBeLessThan(20_000);
        expect(() => JSON.parse(body) as unknown).not.toThrow();
        expect(body).not.toMatch(/\p{Cc}|\p{Cf}/u);
      }
      const { text: line } = JSON.parse(payloadOf(delivery, text)) as { text: string };
      expect(isPlainText(line) || !/[\p{Cc}\p{Cf}]/u.test(line)).toBe(true);
      expect(line).not.toMatch(/[<>]|@(all|channel|everyone|here)\b|\]\(/i);
    }),
  );
});

test('a target without a rollout has no plan', () => {
  const held = { event: 'Held', plan: undefined, mark: 'Held TooLarge', reason: 'TooLarge' } as const;
  const delivery = deliveryAbout('web', held);
  const body = JSON.parse(payloadOf(delivery, event)) as object;
  expect(body).toMatchObject({ event: 'Held', reason: 'TooLarge' });
  expect(body).not.toHaveProperty('plan');
  const { text: line } = JSON.parse(payloadOf(delivery, text)) as { text: string };
  expect(line).toBe('[prod-eu] Held: CloneSet shop/web: waits for approval');
});

test('a long message is cut between characters', () => {
  const body = payloadOf(deliveryAbout('web', { message: '😀'.repeat(5_000) }), event);
  const { message } = JSON.parse(body) as { message: string };
  expect(message).toBe(`${'😀'.repeat(1_000)}…`);
});

test('an id is one for each event, whatever is said of it', () => {
  const ids = [
    deliveryAbout('web'),
    deliveryAbout('api'),
    deliveryAbout('web', { plan: { digest: 'h1:b', step: 'look' } }),
    deliveryAbout('web', { mark: 'AwaitingApproval 2' }),
    deliveryAbout('web', { occurrence: '2026-01-02T00:00:00Z' }),
  ].map(deliveryId);
  expect(new Set(ids).size).toBe(ids.length);
  const again = deliveryAbout('web', { message: 'in other words', since: '2026-01-02T00:00:00Z' });
  expect(deliveryId(again)).toBe(ids[0]);
});

test('the signature is of the bytes of the body', () => {
  const key = new TextEncoder().encode('a key of sixteen bytes');
  const headers = headersOf('id', '{"a":"ü"}', key);
  const expected = createHmac('sha256', key).update(Buffer.from('{"a":"ü"}')).digest('hex');
  expect(headers).toEqual({ 'kruise-delivery': 'id', 'kruise-signature': `sha256=${expected}` });
  expect(headersOf('id', '{}', undefined)).toEqual({ 'kruise-delivery': 'id' });
});
