import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach } from 'vitest';
import { createWallClock, createWorld, type World } from 'kruise-sandbox';
import { httpWebhooks, serve } from 'kruise-sandbox/http';
import { admissionConfiguration } from '../../../runtime/admit/configuration.ts';
import { type AdmissionProcess, startAdmission } from '../../../runtime/admit/process.ts';
import { METRICS_MS } from '../../../runtime/serve/serve.ts';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Clock } from '../../../schemas/wire/clock.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';
import type { Policy } from '../../../semantics/policy.ts';
import { connectionTo } from '../process-world.ts';

const TOKEN = 'a-token-that-nobody-may-see';
export const DAY = 24 * 3_600_000;
export interface Identity {
  cert: string;
  key: string;
}

/** A self-signed certificate for addresses and names of this machine, and its key. */
export async function identity(
  name: string,
  {
    from = Date.now() - DAY,
    to = Date.now() + 10 * DAY,
    host,
  }: { from?: number; to?: number; host?: string | undefined } = {},
): Promise<Identity> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(from),
    notAfterDate: new Date(to),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      {
        name: 'subjectAltName',
        altNames: [host === undefined ? { type: 7, ip: '127.0.0.1' } : { type: 2, value: host }],
      },
    ],
  });
  return { key, cert };
}

const folders: string[] = [];
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

export interface Site {
  world: World;
  /** That of the process and of the cluster. */
  clock: Clock;
  admission: AdmissionProcess;
  lines: string[];
  /** The certificate that was mounted first. */
  own: string;
  /** Writes a certificate into the mounted folder. */
  mount(files: Identity): void;
  /** Writes the authorities of clients. */
  trust(cert: string): void;
  /** Installs the webhook that trusts this certificate. */
  install(cert: string): void;
}

/**
 * @param speed how much faster the clock of the process and of the cluster runs
 * @param host for which name the certificate must be
 * @param clients the authorities of clients; '': their file does not exist; undefined: clients need no certificate
 * @param before makes what the process lists at its start: what comes later it may see only after it is ready
 */
export async function site({
  mounted,
  server,
  speed = 50,
  host,
  clients,
  policy = 'Auto',
  before,
}: {
  mounted?: Identity;
  server?: string;
  speed?: number;
  host?: string;
  clients?: string;
  policy?: Policy;
  before?: (admin: Cluster) => Promise<unknown>;
} = {}): Promise<Site> {
  const clock = createWallClock(speed);
  const world = createWorld({
    clock,
    namespaces: ['default', 'shop', 'kruise-system'],
    nodes: 0,
    crds: [...crds],
    webhooks: httpWebhooks,
  });
  await before?.(world.cluster('admin'));
  const front = await serve(world, { tokens: new Map([[TOKEN, 'kruise']]) });
  const certificates = mkdtempSync(join(tmpdir(), 'kruise-admission-'));
  folders.push(certificates);
  const mount: Site['mount'] = ({ cert, key }) => {
    writeFileSync(join(certificates, 'tls.crt'), cert);
    writeFileSync(join(certificates, 'tls.key'), key);
  };
  if (mounted !== undefined) mount(mounted);
  const clientCa = join(certificates, 'clients.crt');
  const trust = (cert: string): void => writeFileSync(clientCa, cert);
  if ((clients ?? '') !== '') trust(clients ?? '');
  const lines: string[] = [];
  const admission = await startAdmission({
    connection: connectionTo(server ?? front.url, TOKEN),
    clock,
    random: () => 0.5,
    version: '1.2.3',
    endpoint: { port: 0, address: '127.0.0.1' },
    reviews: {
      port: 0,
      address: '127.0.0.1',
      certificates,
      host,
      clientCa: clients === undefined ? undefined : clientCa,
    },
    stateNamespace: 'kruise-system',
    policy,
    log: { format: 'json', write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) },
  });
  ends.push(
    () => world.stop(),
    () => front.close(),
    () => admission.stop(),
  );
  return {
    world,
    clock,
    admission,
    lines,
    own: mounted?.cert ?? '',
    mount,
    trust,
    install(cert) {
      const caBundle = Buffer.from(cert).toString('base64');
      const clientOf = (path: string) => ({
        url: `https://127.0.0.1:${admission.reviewPort ?? 0}${path}`,
        caBundle,
      });
      const configuration = admissionConfiguration(clientOf, ['kruise-system']);
      const plural = 'mutatingwebhookconfigurations';
      world.server.create(
        'admin',
        { group: 'admissionregistration.k8s.io', version: 'v1', plural },
        configuration,
      );
    },
  };
}

export async function readyz({ admission }: Site): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${admission.port ?? 0}/readyz`);
  return `${response.status} ${(await response.text()).trim()}`;
}

/** The value of a metric; undefined: it has none with these labels. What was read before is not served again. */
export async function metric({ admission, clock }: Site, name: string): Promise<number | undefined> {
  await new Promise<void>((resolve) => clock.after(METRICS_MS, resolve));
  const text = await (await fetch(`http://127.0.0.1:${admission.port ?? 0}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

/** Sends a body to the port of reviews; returns code and text. */
export async function post(
  { admission }: Site,
  ca: string,
  body: string,
  {
    path = '/pods',
    method = 'POST',
    localAddress = '127.0.0.1',
    client,
  }: { path?: string; method?: string; localAddress?: string; client?: Identity } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const port = admission.reviewPort ?? 0;
    const sent = request(
      { host: '127.0.0.1', port, path, method, ca, localAddress, agent: false, ...client },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(`${response.statusCode ?? 0} ${text.trim()}`));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
