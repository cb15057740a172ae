import { expect, it } from 'vitest';
import { readSchema } from '../../schemas/generate/schema.ts';
import { goldenFields } from './crd-fields.ts';

/** The versions of each field directly below one of the paths. */
function versionsOfFields(kind: string, places: Readonly<Record<string, string>>): Map<string, string[]> {
  const versions = new Map<string, string[]>();
  for (const { path, version } of goldenFields(`${kind}-fields.txt`)) {
    const parent = path.split('.').slice(0, -1).join('.');
    if (parent in places && !path.endsWith(']')) versions.set(path, [...(versions.get(path) ?? []), version]);
  }
  return versions;
}

it.each([
  [
    'cloneset',
    11,
    {
      spec: 'CloneSetSpec',
      'spec.scaleStrategy': 'CloneSetScaleStrategy',
      'spec.updateStrategy': 'CloneSetUpdateStrategy',
      status: 'CloneSetStatus',
    },
  ],
  ['statefulset', 9, { spec: 'StatefulSetSpec', status: 'StatefulSetStatus' }],
  ['daemonset', 3, { spec: 'DaemonSetSpec', status: 'DaemonSetStatus' }],
])('marks exactly the fields that one version of a %s lacks', (kind, count, places) => {
  const { definitions } = readSchema(`kruise/${kind}.json`).schema;
  const marked = Object.entries(places).flatMap(([path, name]) =>
    Object.entries(definitions[name]?.properties ?? {})
      .filter(([, field]) => field['x-kruise-versions'] !== undefined)
      .map(([field, schema]) => [`${path}.${field}`, schema['x-kruise-versions']]),
  );
  const single = [...versionsOfFields(kind, places)].filter(([, versions]) => versions.length === 1);
  expect(single).toHaveLength(count);
  expect(Object.fromEntries(marked)).toEqual(Object.fromEntries(single));
});
