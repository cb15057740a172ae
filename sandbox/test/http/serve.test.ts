import { request } from 'node:https';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeIdentity } from '../../http/certificate.ts';
import type { ReadYaml } from '../../http/exchange.ts';
import { kubeconfigText } from '../../http/kubeconfig.ts';
import { serve } from '../../http/serve.ts';
import { readYaml } from '../../http/yaml.ts';
import { stage } from '../world.ts';

interface Kubeconfig {
  clusters: {
    cluster: {
      server: string;
      'certificate-authority-data'?: string;
      'insecure-skip-tls-verify'?: boolean;
    };
  }[];
  users: { user: { token: string } }[];
}

test('without options a world is served on a free port, for whoever has its random token', async () => {
  const { world } = stage();
  const fronts = [await serve(world), await serve(world)] as const;
  const [front] = fronts;
  expect(new Set(fronts.map(({ token }) => token)).size).toBe(2);
  const nodes = async (authorization: string) =>
    (await fetch(`${front.url}/api/v1/nodes`, { headers: { authorization } })).status;
  expect(await nodes(`Bearer ${front.token}`)).toBe(200);
  expect(await nodes(`Bearer ${fronts[1].token}`)).toBe(401);
  const { clusters, users } = parse(front.kubeconfig) as Kubeconfig;
  expect(clusters[0]?.cluster.server).toBe(front.url.replace('//', `//kruise:${front.token}@`));
  expect(users[0]?.user.token).toBe(front.token);
  // Without it @kubernetes/client-node refuses plain HTTP.
  expect(clusters[0]?.cluster['insecure-skip-tls-verify']).toBe(true);
  await Promise.all(fronts.map(async (each) => each.close()));
  world.stop();
});

test('with a key and its certificate it is served over HTTPS, and the kubeconfig trusts that certificate', async () => {
  const { world } = stage();
  const identity = await makeIdentity();
  const front = await serve(world, { tls: identity, tokens: new Map([['secret', 'alice']]) });
  const { clusters } = parse(front.kubeconfig) as Kubeconfig;
  const [{ cluster }] = clusters as [Kubeconfig['clusters'][0]];
  expect(cluster.server).toBe(front.url);
  const ca = Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64');
  expect(ca.toString()).toBe(identity.certificate);
  expect(cluster['insecure-skip-tls-verify']).toBeUndefined();
  const status = await new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer secret' };
    request(`${front.url}/api/v1/nodes`, { ca, headers }, ({ statusCode }) => resolve(statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(200);
  await front.close();
  world.stop();
});

test('an extension of the cluster is in the kubeconfig', () => {
  const text = kubeconfigText({ url: 'http://127.0.0.1:1', token: 't' }, { process: 7 });
  expect(parse(text)).toMatchObject({
    clusters: [{ cluster: { extensions: [{ extension: { process: 7 } }] } }],
  });
});

test('a request that was received before the end is answered, and a watch ends', async () => {
  const { world } = stage();
  const closing: ReadYaml = (...body) => {
    void front.close();
    return readYaml(...body);
  };
  const front = await serve(world, { tokens: new Map([['secret', 'alice']]), readYaml: closing });
  const authorization = 'Bearer secret';
  const watch = await fetch(`${front.url}/api/v1/nodes?watch=true`, { headers: { authorization } });
  const created = await fetch(`${front.url}/api/v1/namespaces/default/configmaps`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/yaml' },
    body: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\n',
  });
  expect(created.status).toBe(201);
  await expect(watch.text()).rejects.toThrow('terminated');
  world.stop();
});
