import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Files } from '../deploy/engines/engine.ts';

/** What the status of a GitRepository says about a commit. */
export interface Artifact {
  path: string;
  url: string;
  revision: string;
  digest: string;
  lastUpdateTime: string;
  size: number;
}

/** Serves commits as the source controller of Flux does. */
export interface Artifacts {
  add(files: Files): Artifact;
  close(): Promise<void>;
}

export async function serveArtifacts(folder: string): Promise<Artifacts> {
  const bodies = new Map<string, Buffer>();
  const server = createServer(({ url = '' }, response) => {
    const body = bodies.get(url);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    add(files) {
      const at = mkdtempSync(join(folder, 'commit-'));
      // As in `ignore` of the sample: of the repository, these two folders alone.
      for (const [path, text] of files)
        if (/^(manifests|plans)\//.test(path)) {
          mkdirSync(dirname(join(at, path)), { recursive: true });
          writeFileSync(join(at, path), text);
        }
      const file = `${at}.tar.gz`;
      const packed = spawnSync('tar', ['-czf', file, '-C', at, '.'], { encoding: 'utf8' });
      if (packed.status !== 0) throw new Error(`tar: ${packed.stderr}`);
      const body = readFileSync(file);
      const sha1 = createHash('sha1').update(body).digest('hex');
      const path = `/${sha1}.tar.gz`;
      bodies.set(path, body);
      return {
        path: path.slice(1),
        url: `http://127.0.0.1:${port}${path}`,
        revision: `main@sha1:${sha1}`,
        digest: `sha256:${createHash('sha256').update(body).digest('hex')}`,
        lastUpdateTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
        size: body.length,
      };
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
