import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { suite } from './suite.ts';

suite('built', (test) => {
  for (const name of ['exact', 'lossy'])
    test(`a server accepts what kruise build makes of manifests that are ${name}`, async (k) => {
      const built = readFileSync(`golden/build/${name}.built.yaml`, 'utf8');
      const documents = built.replaceAll('namespace: shop', `namespace: ${k.namespace}`);
      const lines = (await k.run('apply --dry-run=server --validate=strict -f -', documents)).split('\n');
      expect(lines).toHaveLength(built.split('\n---\n').length);
      for (const line of lines) expect(line).toMatch(/^\S+ created \(server dry run\)$/);
    });
});
