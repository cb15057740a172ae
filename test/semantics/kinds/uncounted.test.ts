import { expect, test } from 'vitest';
import { schemaDocuments } from '../../../schemas/generated/targets.ts';
import { kinds } from '../../../semantics/registry/registry.ts';

test.each(kinds.map((kind) => [kind.id.kind, kind] as const))(
  'a %s that is held before it was counted has every field that its status requires',
  (name, { facts }) => {
    const { definitions } = schemaDocuments[`kruise/${name.toLowerCase()}.json`] ?? { definitions: {} };
    const { required = [] } = definitions[`${name}Status`] as { required?: string[] };
    expect(Object.keys(facts.status.uncounted).sort()).toEqual([...required].sort());
  },
);
