import { describe, expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { consumedPatch, strategicPatch } from '../patch/strategic.ts';
import { readRows } from './rows.ts';
import { items, order, podShape, written } from './strategic-notation.ts';

describe('a malformed strategic merge patch', () => {
  const target = written({ containers: 'a=1 b=1', finalizers: 'x y' });
  const rows: [patch: unknown, code: number, message: string][] = readRows('refused-strategic-patches');
  test.each(rows)('%j', (patch, code, message) => {
    let status: unknown;
    try {
      status = strategicPatch(podShape, target, patch);
    } catch (error) {
      status = error instanceof ApiError ? error.status : error;
    }
    expect(status).toMatchObject({ code, message, reason: code === 400 ? 'BadRequest' : '' });
  });
});

test('what a server shows of a patch that it has used up', () => {
  const patch = {
    metadata: { labels: { a: '1' } },
    spec: {
      ...order('b a'),
      containers: items('a=2'),
      bogus: 1,
      strategy: { $retainKeys: ['type'], type: 'x' },
    },
  };
  expect(consumedPatch(patch)).toEqual({
    metadata: { labels: { a: '1' } },
    spec: { bogus: 1, strategy: { type: 'x' } },
  });
});
