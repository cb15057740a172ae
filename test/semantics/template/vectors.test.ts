import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { canonicalJson } from '../../../semantics/values/canonical-json.ts';
import { canonicalTemplate, templateHash } from '../../../semantics/template/canonical.ts';

/** A recorded fact: these templates have these hashes since semantics version "1". */
interface Vector {
  name: string;
  why: string;
  template: JsonObject;
  canonical: JsonObject;
  hash: string;
}

const file = new URL('../../../golden/hash/vectors.json', import.meta.url);

function rewritten(vectors: readonly Vector[]): Vector[] {
  const updated = vectors.map(({ name, why, template }) => ({
    name,
    why,
    template,
    canonical: canonicalTemplate(template),
    hash: templateHash(template),
  }));
  writeFileSync(file, `${JSON.stringify(updated, undefined, 2)}\n`);
  return updated;
}

const recorded = JSON.parse(readFileSync(file, 'utf8')) as Vector[];
const vectors = process.env['UPDATE_GOLDEN'] === '1' ? rewritten(recorded) : recorded;

describe('golden/hash/vectors.json', () => {
  it.each(vectors)('$name', ({ template, canonical, hash }) => {
    expect(canonicalTemplate(template)).toEqual(canonical);
    expect(templateHash(template)).toBe(hash);
    expect(templateHash(canonical)).toBe(hash);
  });

  it('each has its own name and a reason, and one hash stands for one canonical form', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(15);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(vectors.filter(({ why }) => why === '')).toEqual([]);
    const forms = new Set(vectors.map(({ canonical }) => canonicalJson(canonical)));
    expect(new Set(vectors.map(({ hash }) => hash)).size).toBe(forms.size);
  });
});
