import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test } from 'vitest';
import { createWallClock, createWorld, type World } from 'kruise-sandbox';
import { httpWebhooks, serve } from 'kruise-sandbox/http';
import { admissionConfiguration } from '../../../runtime/admit/configuration.ts';
import { type AdmissionProcess, startAdmission } from '../../../runtime/admit/process.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { connectionTo } from '../process-world.ts';

const TOKEN = 'a-token-that-nobody-may-see';
const DAY = 24 * 3_600_000;
/** The clock of the process and of the cluster runs this much faster. */
const SPEED = 50;

async function identity(name: string): Promise<{ cert: string; key: string }> {
  const now = Date.now();
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY),
    notAfterDate: new Date(now + 10 * DAY),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
  return { key, cert };
}

const set: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'mesh' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    containers: [
      {
        name: 'proxy',
        image: 'proxy:1',
        podInjectPolicy: 'AfterAppContainer',
        shareVolumePolicy: { type: 'disabled' },
      },
    ],
  },
};
const podOf = (name: string, namespace = 'shop'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
});
const containersOf = (pod: KubeObject): string[] =>
  (pod['spec'] as { containers: { name: string }[] }).containers.map(({ name }) => name);

const folders: string[] = [];
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Site {
  world: World;
  admission: AdmissionProcess;
  lines: string[];
  /** The certificate that was mounted first. */
  own: string;
  /** Writes a certificate into the mounted folder. */
  mount(files: { cert: string; key: string }): void;
  /** Installs the webhook that trusts this certificate. */
  install(cert: string): void;
}

async function site({
  mounted,
  server,
}: { mounted?: { cert: string; key: string }; server?: string } = {}): Promise<Site> {
  const clock = createWallClock(SPEED);
  const world = createWorld({
    clock,
    namespaces: ['default', 'shop', 'kruise-system'],
    nodes: 0,
    crds: [...crds],
    webhooks: httpWebhooks,
  });
  const front = await serve(world, { tokens: new Map([[TOKEN, 'kruise']]) });
  const certificates = mkdtempSync(join(tmpdir(), 'kruise-admission-'));
  folders.push(certificates);
  const mount: Site['mount'] = ({ cert, key }) => {
    writeFileSync(join(certificates, 'tls.crt'), cert);
    writeFileSync(join(certificates, 'tls.key'), key);
  };
  if (mounted !== undefined) mount(mounted);
  const lines: string[] = [];
  const admission = await startAdmission({
    connection: connectionTo(server ?? front.url, TOKEN),
    clock,
    random: () => 0.5,
    version: '1.2.3',
    endpoint: { port: 0, address: '127.0.0.1' },
    reviews: { port: 0, address: '127.0.0.1', certificates },
    stateNamespace: 'kruise-system',
    log: { format: 'json', write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) },
  });
  ends.push(
    () => world.stop(),
    () => front.close(),
    () => admission.stop(),
  );
  return {
    world,
    admission,
    lines,
    own: mounted?.cert ?? '',
    mount,
    install(cert) {
      const caBundle = Buffer.from(cert).toString('base64');
      const url = `https://127.0.0.1:${admission.reviewPort ?? 0}/pods`;
      const configuration = admissionConfiguration({ url, caBundle }, ['kruise-system']);
      const plural = 'mutatingwebhookconfigurations';
      world.server.create(
        'admin',
        { group: 'admissionregistration.k8s.io', version: 'v1', plural },
        configuration,
      );
    },
  };
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${what} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function readyz({ admission }: Site): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${admission.port ?? 0}/readyz`);
  return `${response.status} ${(await response.text()).trim()}`;
}

/** Sends a body to the port of reviews; returns code and text. */
async function post(
  { admission }: Site,
  ca: string,
  body: string,
  { path = '/pods', method = 'POST' } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const port = admission.reviewPort ?? 0;
    const sent = request({ host: '127.0.0.1', port, path, method, ca, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(`${response.statusCode ?? 0} ${text.trim()}`));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the admission over TLS', () => {
  test('gives new pods their sidecars, but for those of its own namespace, and those that no set selects', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own });
    await here.world.cluster('admin').create(resources.SidecarSet, set);
    await until('ready', async () => (await readyz(here)) === '200 ok');
    here.install(own.cert);
    const user = here.world.cluster('user');
    expect(containersOf(await user.create(resources.Pod, podOf('a')))).toEqual(['main', 'proxy']);
    expect(containersOf(await user.create(resources.Pod, podOf('b', 'kruise-system')))).toEqual(['main']);
    const other = podOf('c');
    other.metadata.labels = { app: 'other' };
    expect(containersOf(await user.create(resources.Pod, other))).toEqual(['main']);
    const metrics = await (await fetch(`http://127.0.0.1:${here.admission.port ?? 0}/metrics`)).text();
    expect(metrics).toContain('kruise_admission_reviews_total{result="injected"} 1');
    expect(metrics).toContain('kruise_admission_reviews_total{result="unchanged"} 1');
  });

  test('a changed set is injected as it is now, without a request to the server', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own });
    const admin = here.world.cluster('admin');
    await admin.create(resources.SidecarSet, set);
    await until('ready', async () => (await readyz(here)) === '200 ok');
    here.install(own.cert);
    const spec = { containers: [{ name: 'proxy', image: 'proxy:2', podInjectPolicy: 'AfterAppContainer' }] };
    await admin.patch(resources.SidecarSet, { name: 'mesh' }, { type: 'merge', body: { spec } });
    let n = 0;
    await until('the new image is injected', async () => {
      const pod = await here.world.cluster('user').create(resources.Pod, podOf(`a-${(n += 1)}`));
      return JSON.stringify(pod['spec']).includes('proxy:2');
    });
  });

  test('waits for its certificate, takes each new one, and keeps the last that fits', async () => {
    const [one, two] = [await identity('one'), await identity('two')];
    const here = await site();
    await until('lists', async () => (await readyz(here)).includes('tls.crt'));
    expect(await readyz(here)).toMatch(/^503 tls.crt and tls.key of .* cannot be read: it does not exist$/);
    here.mount(one);
    await until('ready', async () => (await readyz(here)) === '200 ok');
    expect(await post(here, one.cert, '{}')).toMatch(/^400/);
    here.mount({ cert: two.cert, key: one.key });
    await until('told', () => here.lines.some((line) => line.includes('do not fit each other')));
    expect(await post(here, one.cert, '{}')).toMatch(/^400/);
    here.mount(two);
    await until('renewed', () => here.lines.includes('the certificate was renewed'));
    expect(await post(here, two.cert, '{}')).toMatch(/^400/);
    await expect(post(here, one.cert, '{}')).rejects.toThrow(/certificate/);
  });

  test('refuses what is no review', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own });
    await until('ready', async () => (await readyz(here)) === '200 ok');
    expect(await post(here, own.cert, 'x')).toBe('400 the body is no AdmissionReview');
    expect(await post(here, own.cert, '{"request": 1}')).toBe('400 the body is no AdmissionReview');
    expect(await post(here, own.cert, '{}', { path: '/other' })).toBe('404 the path is /pods');
    expect(await post(here, own.cert, '{}', { method: 'PUT' })).toBe('405 only POST');
    expect(await post(here, own.cert, JSON.stringify({ request: 'x'.repeat(4_000_000) }))).toMatch(/^413/);
    expect(await post(here, own.cert, '{"request": {"uid": "u"}}')).toMatch(/^200 .*"allowed":true/);
  });

  test('answers nothing before its caches are complete', async () => {
    const here = await site({ mounted: await identity('one'), server: 'http://127.0.0.1:1' });
    const { cert } = await identity('two');
    expect(await readyz(here)).toBe('503 sidecarsets were not listed yet');
    await expect(post(here, cert, '{"request": {"uid": "u"}}')).rejects.toThrow(/certificate/);
    expect(await post(here, here.own, '{"request": {"uid": "u"}}')).toMatch(/^503/);
  });

  test('while it is down pods are created all the same', async () => {
    const own = await identity('one');
    const here = await site({ mounted: own });
    here.install(own.cert);
    await here.admission.stop();
    expect(containersOf(await here.world.cluster('user').create(resources.Pod, podOf('a')))).toEqual([
      'main',
    ]);
  });
});
