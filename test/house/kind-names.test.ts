import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kinds } from '../../semantics/registry/registry.ts';
import { trackedFiles } from './files.ts';
import { filesNaming } from './kind-names.ts';

/** Files and folders that may name a kind, with the reason; at most ten. */
const allowed: Readonly<Record<string, string>> = {
  'semantics/kinds/openkruise.ts': 'the names that a misspelt kind may have been meant for',
  'cli/restart/': 'what the command asks the runtime with',
  'semantics/registry/registered.ts': 'the one list of kinds',
  'semantics/registry/raisings.ts': 'the kinds that objects of Kubernetes become',
  'semantics/workload/spread-row.ts': 'what is lost of a WorkloadSpread where its target is built',
  'semantics/pod/reserved-keys.ts': 'annotations of sidecars, which templates may have',
  'semantics/pod/sidecar-changes.ts': 'the record of another updater, which the owner of a pod reads',
};
const MOST = 10;

const isIn = (path: string, allowedPath: string): boolean =>
  allowedPath.endsWith('/') ? path.startsWith(allowedPath) : path === allowedPath;

describe('files that name a kind', () => {
  const files = Object.keys(allowed);
  const found = filesNaming(
    kinds.map(({ id }) => id),
    trackedFiles(),
    (path) => readFileSync(path, 'utf8'),
  );

  it('are only the allowed ones', () => {
    expect(found.filter((path) => !files.some((each) => isIn(path, each)))).toEqual([]);
  });

  it('are few, and each is still needed', () => {
    expect(files.length).toBeLessThanOrEqual(MOST);
    expect(files.filter((each) => !found.some((path) => isIn(path, each)))).toEqual([]);
  });

  it('are detected by code and comment, outside of the folders of the kind (control)', () => {
    const texts: Record<string, string> = {
      'semantics/rack/rules.ts': 'export const rack = 1;',
      'schemas/test/rack.json': '{"title": "Rack"}',
      'schemas/generated/types/rack.ts': 'interface Rack {}',
      'runtime/pass.ts': "if (kind === 'Rack') stop();",
      'cli/look.ts': '// as a rack does\n',
      'cli/show.ts': 'export {};',
      'docs/guide.md': 'A Rack holds pods.',
    };
    const naming = filesNaming(
      [{ group: 'test.example', kind: 'Rack' }],
      Object.keys(texts),
      (path) => texts[path] ?? '',
    );
    expect(naming).toEqual(['runtime/pass.ts', 'cli/look.ts']);
  });

  it('do not include files that name the kind of Kubernetes (control)', () => {
    const texts: Record<string, string> = {
      'sandbox/kinds.ts': "serve('StatefulSet');",
      'sandbox/world.ts': "serve('CloneSet');",
      'cli/notices.ts': "const others = ['statefulsets.apps'];",
      'cli/show.ts': "const ours = ['statefulsets.apps.kruise.io'];",
      'runtime/pass.ts': "if (kind === 'StatefulSet') stop();",
    };
    const group = 'apps.kruise.io';
    const naming = filesNaming(
      [
        { group, kind: 'StatefulSet' },
        { group, kind: 'CloneSet' },
      ],
      Object.keys(texts),
      (path) => texts[path] ?? '',
    );
    expect(naming).toEqual(['sandbox/world.ts', 'cli/show.ts', 'runtime/pass.ts']);
  });
});
