import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { isObject } from '../../semantics/values/json-shape.ts';
import { suite } from './suite.ts';

/** How many objects a text of YAML has, those in Lists among them. */
function objectsIn(text: string): number {
  const values = parseAllDocuments(text).map((each) => each.toJS() as unknown);
  const items = (value: unknown): number =>
    isObject(value) && Array.isArray(value['items']) ? value['items'].length : 1;
  return values.reduce<number>((sum, each) => sum + items(each), 0);
}

suite('built', (test) => {
  for (const name of ['exact', 'lossy', 'budgets', 'several'])
    test(`a server accepts what kruise build makes of manifests that are ${name}`, async (k) => {
      const built = readFileSync(`golden/build/${name}.built.yaml`, 'utf8');
      // A server may know no kind of KEDA, and none of OpenKruise.
      const documents = built
        .split('\n---\n')
        .filter((each) => !/^(apiVersion: \S*kruise|kind: (ScaledObject|Namespace|Watcher))/m.test(each));
      const text = documents
        .join('\n---\n')
        .replaceAll(/namespace: (shop|pay|later|gone)\b/g, `namespace: ${k.namespace}`);
      const lines = (await k.run('apply --dry-run=server --validate=strict -f -', text)).split('\n');
      expect(lines).toHaveLength(objectsIn(text));
      for (const line of lines) expect(line).toMatch(/^\S+ created \(server dry run\)$/);
    });
});
