import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { isKubectlShipped } from '../../examples/demo/kubectl-binary.ts';
import { sampled } from '../lanes.ts';
import { findBinaries, type Binary } from './binaries.ts';
import { start, startWatching, words, type Answer, type Running } from './run.ts';
import { withNamespace } from './rest.ts';
import { startServer } from './server.ts';
import type { TestServer } from './test-server.ts';
import { answerText, type Varying } from './text.ts';

/** What a case has in its hands: one kubectl, one namespace of its own, and the server's REST interface. */
export interface Kubectl extends Varying {
  minor: number;
  /** Runs a command line with this input; returns its whole output as one text without varying parts. */
  run(line: string, stdin?: string): Promise<string>;
  /** The same, unchanged. */
  raw(line: string, stdin?: string, env?: Record<string, string>): Promise<Answer>;
  /** Starts a command that runs until it is stopped. */
  start(line: string): Running;
  /** Starts a command that waits or watches, and answers once it does. */
  watching(line: string): Promise<Running>;
  /** Writes a file into the case's folder and returns its path. */
  file(name: string, text: string): string;
  /** The stored object of the case's namespace: `configmaps/a`; with a group, `deployments/web` and `apps/v1`. */
  stored(path: string, group?: string): Promise<StoredObject>;
  /** Writes an object's status as a controller or kubelet would. */
  setStatus(path: string, status: object, group?: string): Promise<void>;
  server: TestServer;
  /** The result of `raw` without varying parts. */
  text(answer: Answer): string;
}

export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    deletionTimestamp?: string;
    managedFields?: { manager: string; operation: string; subresource?: string; fieldsV1: unknown }[];
  };
  spec: Record<string, unknown>;
  status: Record<string, unknown>;
  data: Record<string, string>;
  [field: string]: unknown;
}

/** What a case needs that is not everywhere. */
export interface Needs {
  /** Pods must run for this case. */
  needsNodes?: boolean;
  /** The oldest kubectl that the case supports. */
  fromMinor?: number;
}

type Play = (k: Kubectl) => Promise<void>;

/** Adds a case, under the title by which it is found. */
export type AddCase = (title: string, play: Play, needs?: Needs) => void;

declare module 'vitest' {
  interface ProvidedContext {
    e2eRecords: string;
  }
}

/** Other files share the serializers of the worker; the output of kubectl is recorded unquoted while a suite runs. */
let plays = false;

expect.addSnapshotSerializer({
  test: (value) => plays && typeof value === 'string',
  serialize: (value: string) => value,
});

function pathIn(namespace: string, path: string, group: string): string {
  return `${group === '' ? '/api/v1' : `/apis/${group}`}/namespaces/${namespace}/${path}`;
}

/** How much of each file a sample has; a sandbox and a namespace for it cost as much as a few cases. */
const SHARE = 0.2;

/** Another server runs every case with each kubectl: it is only named on purpose. */
const isElsewhere = [process.env['KRUISE_E2E_KUBECONFIG'], process.env['KUBEBUILDER_ASSETS']].some(Boolean);

/** A case runs some twenty commands, which take long on a busy machine. */
const patience = 120_000;

let counter = 0;

function kubectlFor(server: TestServer, binary: Binary, folder: string, namespace: string): Kubectl {
  const dir = join(folder, namespace);
  mkdirSync(dir);
  const kubeconfig = join(dir, '.kubeconfig');
  writeFileSync(kubeconfig, withNamespace(server.kubeconfig, namespace));
  const varying = { namespace, url: server.url, dir };
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '', KUBECONFIG: kubeconfig };
  const command = (line: string) => ({ path: binary.path, args: words(line), env, cwd: dir });
  const begin = (line: string, stdin?: string, extra: Record<string, string> = {}) =>
    start({ ...command(line), env: { ...env, ...extra }, stdin });
  const text = (answer: Answer) => answerText(answer, varying);
  return {
    ...varying,
    minor: binary.minor,
    server,
    text,
    run: async (line, stdin) => text(await begin(line, stdin).done),
    raw: (line, stdin, extra) => begin(line, stdin, extra).done,
    start: (line) => begin(line),
    watching: (line) => startWatching(command(line)),
    file(name, content) {
      const path = join(dir, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, content, { mode: 0o755 });
      return path;
    },
    stored: async (path, group = '') =>
      (await server.rest('GET', pathIn(namespace, path, group))) as StoredObject,
    async setStatus(path, status, group = '') {
      const type = 'application/merge-patch+json';
      await server.rest('PATCH', `${pathIn(namespace, path, group)}/status`, { status }, type);
    },
  };
}

/** Runs each case with each kubectl, in a namespace of its own, on one server for the whole file. */
export function suite(
  name: string,
  fill: (add: AddCase) => void,
  { nodes = 0, workloads = false, mutatingPolicies = false } = {},
): void {
  const cases: { title: string; play: Play; needs: Needs }[] = [];
  fill((title, play, needs = {}) => cases.push({ title, play, needs }));
  const binaries = isElsewhere ? findBinaries() : sampled(name, findBinaries(), 1, 1);
  const drawn = sampled(`cases of ${name}`, cases, Math.ceil(cases.length * SHARE));
  const notRun: string[] = [];
  let ran = 0;
  let server: TestServer | undefined;

  function record(): void {
    const played = {
      name,
      server: server === undefined ? 'no server' : `${server.name} (Kubernetes ${server.version})`,
      kubectls: binaries.map(({ version }) => version),
      ran,
      notRun,
    };
    appendFileSync(inject('e2eRecords'), `${JSON.stringify(played)}\n`);
  }

  if (binaries.length === 0) {
    for (const { title } of cases)
      notRun.push(`${title}: no kubectl runs here; KRUISE_E2E_KUBECTL may name one`);
    // At once: a file whose only test is skipped calls no hooks.
    record();
    test.skipIf(!isKubectlShipped)('a kubectl is here', () => {
      expect(binaries).not.toEqual([]);
    });
    return;
  }

  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kruise-e2e-')));

  beforeAll(async () => {
    plays = true;
    server = await startServer({ nodes, workloads, mutatingPolicies });
  }, patience);

  afterAll(async () => {
    plays = false;
    record();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const binary of binaries)
    describe(`${name}, kubectl ${binary.version}`, () => {
      const home = join(folder, binary.version);
      mkdirSync(home);
      for (const { title, play, needs } of drawn)
        test(title, { timeout: patience }, async (context) => {
          if (server === undefined) throw new Error('there is no server');
          if (needs.needsNodes === true && !server.hasNodes) {
            notRun.push(`${title} (${binary.version}): no node is ready`);
            context.skip();
          }
          if (workloads && !server.hasControllers) {
            notRun.push(`${title} (${binary.version}): no controller manager runs`);
            context.skip();
          }
          if (mutatingPolicies && !server.hasMutatingPolicies) {
            notRun.push(`${title} (${binary.version}): MutatingAdmissionPolicies are not served`);
            context.skip();
          }
          if (binary.minor < (needs.fromMinor ?? 0)) {
            notRun.push(`${title} (${binary.version}): kubectl has this from 1.${needs.fromMinor}`);
            context.skip();
          }
          counter += 1;
          const namespace = `e2e-${name}-${process.pid}-${counter}`;
          await server.rest('POST', '/api/v1/namespaces', {
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: namespace },
          });
          try {
            await play(kubectlFor(server, binary, home, namespace));
            ran += 1;
          } finally {
            await server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
          }
        });
    });
}
