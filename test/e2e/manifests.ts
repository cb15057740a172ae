/** Objects that only the server processes: no controller, scheduler or kubelet does. */

export const configMap = (name: string, data = 'colour: blue', labels = 'app: web') => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  labels: { ${labels} }
data: { ${data} }
`;

/** A pod that is bound to a node that does not exist. */
export const pod = (name: string, spec = '', labels = 'app: web') => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: { ${labels} }
spec:
  nodeName: nowhere
  terminationGracePeriodSeconds: 0
  containers:
    - name: main
      image: example.com/web:1
${spec}`;

export const deployment = (name: string, extra = '') => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: { app: web }
spec:
  replicas: 0
  paused: true
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: main
          image: example.com/web:1
          env:
            - name: COLOUR
              value: blue
        - name: proxy
          image: example.com/proxy:1
${extra}`;

/** A CloneSet of no pods. */
export const cloneSet = (name: string, spec = '') => `apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata:
  name: ${name}
  labels: { app: web }
spec:
  replicas: 0
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - name: main
          image: example.com/web:1
        - name: proxy
          image: example.com/proxy:1
${spec}`;

export const documents = (...texts: string[]) => texts.join('---\n');

/** Two pods that end fast. */
export const runningDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: main
          image: example.com/web:1
`;
