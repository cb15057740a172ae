package main

import (
	"context"
	"fmt"
	"sort"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

const exposed = "example.com/exposed-as"

// runController leads by a Lease, watches Deployments, and gives each a Service, until all have one.
func runController(ctx context.Context, client *kubernetes.Clientset, namespace string) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, namespace, "expose",
		client.CoreV1(), client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "one"})
	must("make a lock", err)
	done := make(chan struct{})
	go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { expose(ctx, client, namespace); close(done) },
			OnStoppedLeading: func() {},
		},
	})
	for _, name := range []string{"api", "web"} {
		_, err := client.AppsV1().Deployments(namespace).Create(ctx, deployment(name), metav1.CreateOptions{})
		must("create Deployment "+name, err)
	}
	select {
	case <-done:
	case <-ctx.Done():
		must("expose both Deployments", ctx.Err())
	}
	report(ctx, client, namespace)
}

func expose(ctx context.Context, client *kubernetes.Clientset, namespace string) {
	events := record.NewBroadcaster()
	events.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(namespace)})
	defer events.Shutdown()
	recorder := events.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "expose"})
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	deployments := factory.Apps().V1().Deployments()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	enqueue := func(object interface{}) { queue.Add(object.(*appsv1.Deployment).Name) }
	_, err := deployments.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, object interface{}) { enqueue(object) },
	})
	must("watch Deployments", err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for left := map[string]bool{"api": true, "web": true}; len(left) > 0; {
		name, shutdown := queue.Get()
		if shutdown {
			return
		}
		found, err := deployments.Lister().Deployments(namespace).Get(name)
		if err == nil {
			err = reconcile(ctx, client, recorder, found.DeepCopy())
		}
		queue.Done(name)
		if err != nil {
			queue.AddRateLimited(name)
			continue
		}
		if found.Annotations[exposed] != "" {
			delete(left, name)
		}
	}
	// The last Event is written in the background.
	for {
		list, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Exposed"})
		if err == nil && len(list.Items) == 2 || ctx.Err() != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func reconcile(ctx context.Context, client *kubernetes.Clientset, recorder record.EventRecorder, d *appsv1.Deployment) error {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Name:            d.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(d, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: corev1.ServiceSpec{Selector: d.Spec.Selector.MatchLabels, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	_, err := client.CoreV1().Services(d.Namespace).Create(ctx, service, metav1.CreateOptions{})
	if err != nil && !errors.IsAlreadyExists(err) {
		return err
	}
	if d.Annotations[exposed] == d.Name {
		return nil
	}
	metav1.SetMetaDataAnnotation(&d.ObjectMeta, exposed, d.Name)
	updated, err := client.AppsV1().Deployments(d.Namespace).Update(ctx, d, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	recorder.Eventf(updated, corev1.EventTypeNormal, "Exposed", "Service %s leads to it", d.Name)
	_, err = client.CoreV1().Services(d.Namespace).Patch(ctx, d.Name, types.StrategicMergePatchType,
		[]byte(`{"spec":{"ports":[{"port":80,"name":"http"}]}}`), metav1.PatchOptions{})
	return err
}

// report prints what the controller left behind.
func report(ctx context.Context, client *kubernetes.Clientset, namespace string) {
	fmt.Println("\n# A controller that leads by a Lease gave each Deployment a Service")
	services, err := client.CoreV1().Services(namespace).List(ctx, metav1.ListOptions{})
	must("list Services", err)
	for _, each := range services.Items {
		if owner := metav1.GetControllerOf(&each); owner != nil {
			fmt.Printf("Service %s of %s %s, port %s\n", each.Name, owner.Kind, owner.Name, each.Spec.Ports[0].Name)
		}
	}
	events, err := client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "reason=Exposed"})
	must("list Events", err)
	lines := []string{}
	for _, each := range events.Items {
		lines = append(lines, fmt.Sprintf("Event %s of %s: %s", each.Reason, each.InvolvedObject.Name, each.Message))
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "expose", metav1.GetOptions{})
	must("read the Lease", err)
	fmt.Printf("Lease %s is held by %s\n", lease.Name, *lease.Spec.HolderIdentity)
	web, err := client.AppsV1().Deployments(namespace).Get(ctx, "web", metav1.GetOptions{})
	must("read a Deployment", err)
	stale := types.UID("00000000-0000-0000-0000-000000000000")
	err = client.AppsV1().Deployments(namespace).Delete(ctx, "web", *metav1.NewPreconditionDeleteOptions(string(stale)))
	fmt.Printf("A deletion with another uid is a conflict: %t\n", errors.IsConflict(err))
	background := metav1.DeletePropagationBackground
	err = client.AppsV1().Deployments(namespace).Delete(ctx, "web",
		metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &web.UID}, PropagationPolicy: &background})
	fmt.Printf("One with its uid is done: %t\n", err == nil)
}
