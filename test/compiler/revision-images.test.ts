import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { knownImages, statedImages } from '../../compiler/plan/revision-images.ts';
import { earlierImages } from '../../compiler/render/earlier-text.ts';

const template = (...images: string[]): JsonObject => ({
  spec: { containers: images.map((image, at) => ({ name: `c${at}`, image })) },
});
const entry = (hash: string, ...images: string[]) => ({ hash, mode: 'Recreate' as const, images });

test('the newest of several plans says which images a revision has', () => {
  const plans = [
    { to: { hash: 'h1:c' }, from: [entry('h1:a', 'web:1')] },
    { to: { hash: 'h1:b' }, from: [entry('h1:a', 'web:0')] },
  ];
  expect(knownImages({ hash: 'h1:z', template: template('web:9') }, plans).get('h1:a')).toEqual(['web:1']);
});

test.each([
  ['ten images', template(...Array.from({ length: 10 }, (_, at) => `web:${at}`)), 10],
  ['one more', template(...Array.from({ length: 11 }, (_, at) => `web:${at}`)), undefined],
  ['the same one often', template(...Array.from({ length: 11 }, () => 'web:1')), 1],
  ['one that a substitution rewrites', template('web:1', 'proxy:${TAG}'), undefined],
  ['one that is too long', template('x'.repeat(257)), undefined],
])('an entry states all of its images or none: %s', (_what, of, count) => {
  expect(statedImages(of)?.length).toBe(count);
});

test('images that the manifest has itself are not named', () => {
  const change = {
    base: undefined,
    head: { normal: { template: template('web:3', 'proxy:1'), units: { of: 'replicas' } } },
    plan: { spec: { from: [entry('h1:aaaaaaaaaaaa', 'web:2', 'proxy:1')] } },
  } as unknown as Parameters<typeof earlierImages>[0];
  expect(earlierImages(change)).toBe('web:2 (h1:aaaaaaaa)');
});
