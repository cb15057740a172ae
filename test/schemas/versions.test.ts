import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSchema } from '../../schemas/generate/schema.ts';

const places: Record<string, string> = {
  spec: 'CloneSetSpec',
  'spec.scaleStrategy': 'CloneSetScaleStrategy',
  'spec.updateStrategy': 'CloneSetUpdateStrategy',
  status: 'CloneSetStatus',
};

/** The versions of each field directly below one of the paths. */
function versionsOfFields(): Map<string, string[]> {
  const versions = new Map<string, string[]>();
  for (const line of readFileSync('golden/schemas/cloneset-fields.txt', 'utf8').split('\n')) {
    const [path = '', version = ''] = line.split(' ');
    const parent = path.split('.').slice(0, -1).join('.');
    if (parent in places && !path.endsWith(']')) versions.set(path, [...(versions.get(path) ?? []), version]);
  }
  return versions;
}

it('marks exactly the fields that one version of CloneSet lacks', () => {
  const { definitions } = readSchema('kruise/cloneset.json').schema;
  const marked = Object.entries(places).flatMap(([path, name]) =>
    Object.entries(definitions[name]?.properties ?? {})
      .filter(([, field]) => field['x-kruise-versions'] !== undefined)
      .map(([field, schema]) => [`${path}.${field}`, schema['x-kruise-versions']]),
  );
  const single = [...versionsOfFields()].filter(([, versions]) => versions.length === 1);
  expect(single).toHaveLength(11);
  expect(Object.fromEntries(marked)).toEqual(Object.fromEntries(single));
});
