import { expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { inPlacePatch } from '../../../semantics/template/inplace-images.ts';

function template(image: string, metadata: JsonObject = {}): JsonObject {
  return {
    metadata,
    spec: {
      containers: [
        { name: 'app', image },
        { name: 'proxy', image: 'p:1' },
      ],
    },
  };
}

it('IU-1, IU-7, IU-8: images by container, metadata by key, null for what is removed', () => {
  const from = template('app:1', {
    labels: { gone: 'x', kept: 'x', changed: 'x' },
    annotations: { a: '1' },
    finalizers: ['old', 'both'],
  });
  const to = template('app:2', { labels: { kept: 'x', changed: 'y', new: '' }, finalizers: ['both', 'new'] });
  expect(inPlacePatch(from, to)).toEqual({
    images: { app: 'app:2' },
    metadata: {
      labels: { gone: null, changed: 'y', new: '' },
      annotations: { a: null },
      finalizers: ['new'],
      removedFinalizers: ['old'],
    },
  });
});

it('another order of finalizers alone changes nothing in a pod', () => {
  expect(
    inPlacePatch(template('a', { finalizers: ['x', 'y'] }), template('a', { finalizers: ['y', 'x'] })),
  ).toEqual({
    images: {},
    metadata: { labels: {}, annotations: {} },
  });
});

it('an empty difference qualifies', () => {
  expect(inPlacePatch(template('a'), template('a'))).toEqual({
    images: {},
    metadata: { labels: {}, annotations: {} },
  });
});

it.each(['', null])('an image that becomes %j does not', (image) => {
  expect(inPlacePatch(template('a'), template(image as string))).toBeUndefined();
});

it('a label called __proto__ is a label', () => {
  const labels = JSON.parse('{"__proto__":"x"}') as JsonObject;
  const patch = inPlacePatch(template('a'), template('a', { labels }));
  expect(Object.keys(patch?.metadata.labels ?? {})).toEqual(['__proto__']);
});
