import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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

      const exec =
        '{"main":{"exec":{"cat /etc/version":"1.27\\n","migrate":{"stderr":"no room\\n","exitCode":3}}}}';
      writeFileSync(
        join(folder, 'pod.json'),
        JSON.stringify({
          ...{ apiVersion: 'v1', kind: 'Pod' },
          metadata: { name: 'web', annotations: { 'sandbox/containers': exec } },
          spec: { containers: [{ name: 'main', image: 'web:1' }] },
        }),
      );
      await run(path, ['apply', '-f', join(folder, 'pod.json')], { env });
      await run(path, ['wait', '--for=condition=Ready', 'pod/web', '--timeout=60s'], { env });
      const printed = await run(path, ['exec', 'web', '--', 'cat', '/etc/version'], { env });
      expect(printed.stdout).toBe('1.27\n');
      const failed = run(path, ['exec', 'web', '--', 'migrate'], { env });
      await expect(failed).rejects.toMatchObject({
        code: 3,
        stderr: 'no room\ncommand terminated with exit code 3\n',
      });

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
