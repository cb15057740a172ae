import { build } from 'esbuild';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../deploy/cluster.ts';

describe('security 18: the packages that reading a kubeconfig adds to the program', () => {
  it('are the credential plugins and YAML: no HTTP client, no models, no evaluation of expressions', async () => {
    const { metafile } = await build({
      entryPoints: [join(root, 'runtime/api/client-node.ts')],
      absWorkingDir: root,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      minifySyntax: true,
      minifyWhitespace: true,
      metafile: true,
      write: false,
    });
    const [output] = Object.values(metafile.outputs);
    const used = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const packages = used.map(([path]) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path);
    expect([...new Set(packages)].sort()).toEqual([
      '@kubernetes/client-node',
      'js-yaml',
      'oauth4webapi',
      'openid-client',
      'rfc4648',
    ]);
    expect(output?.bytes).toBeLessThan(160 * 1024);
  });
});
