import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { afterEach, describe, expect, it } from 'vitest';
import { KUBECONFIG } from '../cli/world/sandbox-client.ts';
import { endSandboxes, startReady } from '../cli/world/sandbox-run.ts';
import { findBinaries } from './binaries.ts';

const run = promisify(execFile);

afterEach(endSandboxes);

describe.skipIf(findBinaries().length === 0)('kruise sandbox --tls', () => {
  it.each(findBinaries())(
    'lets kubectl $version in by its token, and shows it to nobody',
    async ({ path }) => {
      const { folder, out } = await startReady(['--tls']);
      const file = join(folder, KUBECONFIG);
      const env = { HOME: folder, KUBECONFIG: file };
      const { clusters, users } = parse(readFileSync(file, 'utf8')) as {
        clusters: { cluster: { server: string } }[];
        users: { user: { token: string } }[];
      };
      const server = clusters[0]?.cluster.server ?? '';
      const token = users[0]?.user.token ?? '';
      expect(out).toContain(`kruise sandbox is ready: ${server}\n`);
      expect(server).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);

      const nodes = await run(path, ['get', 'nodes', '-o', 'name'], { env });
      expect(nodes.stdout).toBe('node/node-1\nnode/node-2\nnode/node-3\n');
      const info = await run(path, ['cluster-info'], { env });
      expect(info.stdout).toContain(server);
      expect(info.stdout).not.toContain(token);

      const stranger = run(path, ['get', 'nodes', '--token', 'guessed'], { env });
      await expect(stranger).rejects.toThrow('Unauthorized');
      // Nothing but this certificate vouches for the server.
      const bare = run(
        path,
        ['get', 'nodes', '--server', server, '--token', token, '--kubeconfig', '/dev/null'],
        {
          env: { HOME: folder },
        },
      );
      await expect(bare).rejects.toThrow('certificate signed by unknown authority');
    },
  );
});
