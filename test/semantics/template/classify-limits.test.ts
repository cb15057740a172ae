import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { classify } from '../../../semantics/template/classify.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { inPlacePatch } from '../../../semantics/template/inplace-images.ts';
import { arbitraryTemplate } from './arbitrary-template.ts';
import { app, lines, pod, sidecar, withApp } from './pods.ts';

describe('caps', () => {
  const variables = (count: number, value: string): JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ name: `V${String(i).padStart(3, '0')}`, value }));

  it('up to 64 fields are listed one by one', () => {
    const fields = classify(withApp({ env: variables(64, 'a') }), withApp({ env: variables(64, 'b') }), {
      policy: 'ReCreate',
    }).fields;
    expect(fields).toHaveLength(64);
  });

  it('beyond that, the largest group of the deepest is combined under its parent, the others stay', () => {
    const from = pod([{ ...app, env: variables(70, 'a') }, sidecar], {}, { labels: { l: '1' } });
    const to = pod(
      [
        { ...app, env: variables(70, 'b'), image: 'app:2' },
        { ...sidecar, image: 'proxy:2' },
      ],
      {},
      { labels: { l: '2' } },
    );
    const { fields, mode } = classify(from, to, { policy: 'InPlaceIfPossible' });
    expect(lines(fields)).toEqual([
      'metadata.labels[l] MetadataOnly changed',
      'spec.containers[app].env Recreate changed',
      'spec.containers[app].image InPlace app:1>app:2',
      'spec.containers[proxy].image InPlace proxy:1>proxy:2',
    ]);
    expect(mode).toBe('Recreate');
    expect(fields[1]?.reason).toMatch(/^70 changes below it, among them: environment/);
  });

  it('a hundred images become one entry that is still in place', () => {
    const many = (tag: string): JsonObject =>
      pod(Array.from({ length: 100 }, (_, i) => ({ name: `c${i}`, image: `a:${tag}` })));
    const { fields, mode } = classify(many('1'), many('2'), { policy: 'InPlaceIfPossible' });
    expect(mode).toBe('InPlace');
    expect(lines(fields)).toEqual(['spec.containers InPlace changed']);
  });

  it('texts are truncated at 1 KiB', () => {
    const [field] = classify(withApp({}), withApp({ image: `é${'x'.repeat(2000)}` }), {
      policy: 'InPlaceIfPossible',
    }).fields;
    expect(Buffer.byteLength(String(field?.to))).toBe(1024);
    const labels = { ['k'.repeat(3000)]: 'v' };
    const [long] = classify(pod([app]), pod([app], {}, { labels }), { policy: 'InPlaceIfPossible' }).fields;
    expect(Buffer.byteLength(long?.path ?? '')).toBe(1024);
  });
});

describe('properties', () => {
  it('fields are there exactly when hashes differ; sorted, unique, capped; the mode is the worst of them', () => {
    fc.assert(
      fc.property(arbitraryTemplate, arbitraryTemplate, (from, to) => {
        const { fields, mode } = classify(from, to, { policy: 'InPlaceIfPossible' });
        expect(fields.length === 0).toBe(templateHash(from) === templateHash(to));
        expect(fields.length).toBeLessThanOrEqual(64);
        const paths = fields.map(({ path }) => path);
        expect(paths).toEqual([...paths].sort());
        const effects = fields.map(({ effect }) => effect);
        const worst = ['Recreate', 'InPlace', 'MetadataOnly'].find((effect) =>
          (effects as string[]).includes(effect),
        );
        expect(mode).toBe(worst ?? 'MetadataOnly');
      }),
      { numRuns: 300 },
    );
  });

  it('the reverse change has as many fields and is as disruptive', () => {
    fc.assert(
      fc.property(arbitraryTemplate, arbitraryTemplate, (from, to) => {
        const there = classify(from, to, { policy: 'InPlaceIfPossible' });
        const back = classify(to, from, { policy: 'InPlaceIfPossible' });
        expect(back.fields).toHaveLength(there.fields.length);
        expect(back.mode).toBe(there.mode);
      }),
    );
  });

  it('nothing that is no image, number or quantity is shown', () => {
    fc.assert(
      fc.property(arbitraryTemplate, arbitraryTemplate, (from, to) => {
        for (const field of classify(from, to, { policy: 'InPlaceIfPossible' }).fields) {
          for (const value of [field.from, field.to]) {
            if (typeof value !== 'string') continue;
            expect(field.path).toMatch(
              /\.(image|reference|sizeLimit|divisor)$|\.(limits|requests)\[|\.overhead\[/,
            );
          }
        }
      }),
    );
  });

  it('a patch applied to the old template results in the new one', () => {
    const onlyInPlace = fc
      .tuple(
        arbitraryTemplate,
        fc.constantFrom('a:7', 'b:8'),
        fc.dictionary(fc.constantFrom('a', 'l'), fc.constant('9')),
      )
      .map(([from, image, labels]) => {
        const to = structuredClone(from);
        for (const container of (to['spec'] as { containers: JsonObject[] }).containers)
          container['image'] = image;
        to['metadata'] = { ...(to['metadata'] as JsonObject | undefined), labels, finalizers: ['new'] };
        return [from, to] as const;
      });
    fc.assert(
      fc.property(onlyInPlace, ([from, to]) => {
        const patch = inPlacePatch(from, to);
        const names = (from['spec'] as { containers: { name: string }[] }).containers.map(({ name }) => name);
        if (patch === undefined || new Set(names).size !== names.length) return;
        expect(templateHash(applied(from, patch))).toBe(templateHash(to));
      }),
    );
  });
});

/** Applies the patch as a strategic merge does. */
function applied(from: JsonObject, patch: NonNullable<ReturnType<typeof inPlacePatch>>): JsonObject {
  const result = structuredClone(from) as {
    metadata?: {
      labels?: Record<string, string | null>;
      annotations?: Record<string, string | null>;
      finalizers?: string[];
    };
    spec: { containers: { name: string; image: string }[] };
  };
  const metadata = (result.metadata ??= {});
  metadata.labels = { ...metadata.labels, ...patch.metadata.labels };
  metadata.annotations = { ...metadata.annotations, ...patch.metadata.annotations };
  const removed = new Set(patch.metadata.removedFinalizers);
  metadata.finalizers = [...(metadata.finalizers ?? []), ...(patch.metadata.finalizers ?? [])].filter(
    (name) => !removed.has(name),
  );
  for (const container of result.spec.containers)
    container.image = patch.images[container.name] ?? container.image;
  return result;
}
