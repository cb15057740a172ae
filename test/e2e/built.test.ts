import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { suite } from './suite.ts';

suite('built', (test) => {
  for (const name of ['exact', 'lossy', 'budgets'])
    test(`a server accepts what kruise build makes of manifests that are ${name}`, async (k) => {
      const built = readFileSync(`golden/build/${name}.built.yaml`, 'utf8');
      // A server may know no kind of KEDA, and none of OpenKruise.
      const documents = built
        .split('\n---\n')
        .filter((each) => !/kind: (ScaledObject|PodUnavailableBudget)/.test(each));
      const text = documents.join('\n---\n').replaceAll('namespace: shop', `namespace: ${k.namespace}`);
      const lines = (await k.run('apply --dry-run=server --validate=strict -f -', text)).split('\n');
      expect(lines).toHaveLength(documents.length);
      for (const line of lines) expect(line).toMatch(/^\S+ created \(server dry run\)$/);
    });
});
