export function configMap(name: string, inNamespace?: string, value = 'old'): string {
  const place = inNamespace === undefined ? '' : `, namespace: ${inNamespace}`;
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}${place} }\ndata: { key: ${value} }\n`;
}

export function namespace(name: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`;
}

export function cloneSet(name: string): string {
  return `apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: { name: ${name} }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers: [{ name: main, image: 'web:1' }]
`;
}

export const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Cluster
  names: { kind: Thing, plural: things, singular: thing, listKind: ThingList }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`;

export const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'thing' } };
