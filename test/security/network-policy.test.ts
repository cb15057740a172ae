import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../deploy/cluster.ts';

interface Manifest {
  kind: string;
  resources: string[];
  spec: {
    podSelector: { matchLabels: Record<string, string> };
    policyTypes: string[];
    ingress: { from: object[]; ports: { port: string | number; protocol: string }[] }[];
    template: {
      metadata: { labels: Record<string, string> };
      spec: { containers: { ports: { name: string }[] }[] };
    };
  };
}

function read(path: string): Manifest[] {
  const text = readFileSync(join(root, 'deploy', path), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

describe('security 7: only metrics scrapers reach the port of the runtime', () => {
  it('both installations have the policy', () => {
    expect(read('kustomization.yaml')[0]?.resources).toContain('base');
    expect(read('base/kustomization.yaml')[0]?.resources).toContain('../runtime');
    expect(read('overlays/namespaced/kustomization.yaml')[0]?.resources).toContain('../../runtime');
    expect(read('runtime/kustomization.yaml')[0]?.resources).toContain('network-policy.yaml');
  });

  it("it selects the Deployment's pods, and allows one namespace at their only port", () => {
    const [policy] = read('runtime/network-policy.yaml');
    const [deployment] = read('runtime/deployment.yaml');
    expect(deployment?.spec.template.metadata.labels).toMatchObject(
      policy?.spec.podSelector.matchLabels ?? {},
    );
    const ports = deployment?.spec.template.spec.containers.flatMap((container) => container.ports) ?? [];
    expect(policy).toMatchObject({
      kind: 'NetworkPolicy',
      spec: {
        policyTypes: ['Ingress'],
        ingress: [
          {
            from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
            ports: ports.map(({ name }) => ({ port: name, protocol: 'TCP' })),
          },
        ],
      },
    });
    expect(policy?.spec.ingress).toHaveLength(1);
  });
});

describe('the ports of the admission', () => {
  it('metrics are for one namespace alone, and reviews for whoever reaches the network', () => {
    const [policy] = read('components/admission/network-policy.yaml');
    const [deployment] = read('components/admission/deployment.yaml');
    expect(read('components/admission/kustomization.yaml')[0]?.resources).toContain('network-policy.yaml');
    expect(deployment?.spec.template.metadata.labels).toMatchObject(
      policy?.spec.podSelector.matchLabels ?? {},
    );
    expect(policy?.spec.ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: [{ protocol: 'TCP', port: 'http' }],
      },
      { ports: [{ protocol: 'TCP', port: 'reviews' }] },
    ]);
  });
});
