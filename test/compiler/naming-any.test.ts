import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { namingAny } from '../../compiler/text/naming-any.ts';
import { cpuMs } from '../cpu-time.ts';
import * as fc from '../property.ts';

const HASHED = 'prices-2gk5b7dmtf';

describe('a text may have an object of one of some names', () => {
  test.each([
    ['a plain name', ['prices'], 'metadata: {name: prices}', true],
    ['one in JSON', ['prices'], '{"metadata":{"name":"prices","labels":{}}}', true],
    ['one with a comment', ['prices'], 'metadata:\n  name: prices # of the shop\n', true],
    ['one of a generator', [HASHED], 'metadata: {name: prices-8ck5b7dmtf}', true],
    ['the same without its hash', [HASHED], 'metadata: {name: prices}', true],
    ['a name that is more than a word', ['a, b'], 'metadata: {name: "a, b"}', true],
    ['one with colons', ['system:prices'], 'metadata: {name: "system:prices"}', true],
    ['a longer name', ['prices'], 'metadata: {name: prices-old}', false],
    ['a part of a name', ['prices'], 'metadata: {name: old-prices}', false],
    ['none', ['prices'], 'metadata: {name: stock}', false],
    ['no names at all', [], 'metadata: {name: prices}', false],
  ])('%s', (_, names, text, expected) => {
    expect(namingAny(names)(text)).toBe(expected);
  });

  test('whatever the name and the form of the text', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9.:_-]{1,40}$/);
    const forms = [
      (object: object) => JSON.stringify(object),
      (object: object) => stringify(object),
      (object: object) => stringify(object, { collectionStyle: 'flow' }),
    ];
    fc.assert(
      fc.property(name, fc.array(name), fc.constantFrom(...forms), (own, others, form) => {
        const text = form({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { labels: { a: 'b' }, name: own },
        });
        expect(namingAny([...others, own])(text)).toBe(true);
      }),
    );
  });
});

test('a text takes as long with ten thousand names as with ten', () => {
  const text = Array.from({ length: 2_000 }, (_, n) => `name: word-${n}`).join('\n');
  const testOf = (count: number) => namingAny(Array.from({ length: count }, (_, n) => `name-${n}`));
  const [few, many] = [testOf(10), testOf(10_000)];
  const cost = (isNamed: (text: string) => boolean): number =>
    cpuMs(() => {
      for (let round = 0; round < 50; round += 1) isNamed(text);
    });
  cost(few);
  const [ofFew, ofMany] = [cost(few), cost(many)];
  expect(ofMany / ofFew).toBeLessThan(10);
});
