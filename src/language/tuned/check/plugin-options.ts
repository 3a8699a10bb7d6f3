/** What a plug-in of TuneD 2.28 takes: names of options, and starts of names that the author chooses. */
export interface PluginOptions {
  readonly names: readonly string[];
  readonly starts: readonly string[];
}

const any = [""];

/** Every plug-in of TuneD 2.28. */
export const pluginOptions: ReadonlyMap<string, PluginOptions> = new Map([
  row("acpi", "platform_profile"),
  row("audio", "timeout reset_controller"),
  row(
    "bootloader",
    "grub2_cfg_file initrd_dst_img initrd_add_img initrd_add_dir initrd_remove_dir skip_grub_config",
    // All arguments are joined in the order of these names.
    ["cmdline"],
  ),
  row(
    "cpu",
    `load_threshold latency_low latency_high force_latency governor sampling_down_factor energy_perf_bias min_perf_pct
    max_perf_pct no_turbo pm_qos_resume_latency_us energy_performance_preference boost`,
  ),
  row("disk", "dynamic elevator apm spindown readahead readahead_multiply scheduler_quantum"),
  row("eeepc_she", "load_threshold_normal load_threshold_powersave she_powersave she_normal"),
  row("irq", "affinity mode"),
  row("irqbalance", "banned_cpus"),
  row("modules", "", any),
  row("mounts", "disable_barriers"),
  row("net", "dynamic wake_on_lan nf_conntrack_hashsize features coalesce pause ring channels txqueuelen mtu"),
  row("rtentsk", ""),
  row(
    "scheduler",
    `isolated_cores cgroup_mount_point cgroup_mount_point_init cgroup_groups_init cgroup_for_isolated_cores
    cgroup_ps_blacklist ps_whitelist ps_blacklist kthread_process irq_process default_irq_smp_affinity perf_mmap_pages
    perf_process_fork runtime sched_min_granularity_ns sched_base_slice_ns sched_latency_ns sched_wakeup_granularity_ns
    sched_tunable_scaling sched_migration_cost_ns sched_nr_migrate numa_balancing_scan_delay_ms
    numa_balancing_scan_period_min_ms numa_balancing_scan_period_max_ms numa_balancing_scan_size_mb`,
    ["group.", "cgroup."],
  ),
  row("script", "script"),
  row("scsi_host", "alpm"),
  row("selinux", "avc_cache_threshold"),
  row("service", "", ["service."]),
  row("sysctl", "", any),
  row("sysfs", "", any),
  row("systemd", "cpu_affinity"),
  row("uncore", "max_freq_khz min_freq_khz"),
  row("usb", "autosuspend"),
  row("video", "radeon_powersave panel_power_savings"),
  row(
    "vm",
    `transparent_hugepages transparent_hugepage transparent_hugepage.defrag dirty_bytes dirty_ratio
    dirty_background_bytes dirty_background_ratio`,
  ),
]);

function row(type: string, names: string, starts: readonly string[] = []): [string, PluginOptions] {
  return [type, { names: names.split(/\s+/).filter((name) => name !== ""), starts }];
}
