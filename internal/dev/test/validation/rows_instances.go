// Rows of the space that point-in-time instances take, as vendors calculate it.

package validation

import "fmt"

var instanceGuides = []Source{
	{
		Title:   "Determining the volume size and fractional reserve setting, NetApp",
		Year:    "not on the page",
		Where:   "steps 3 and 4; the last step is beyond what could be read",
		Address: "https://library.netapp.com/ecmdocs/ECMP1196995/html/GUID-AA594113-8BA8-48BC-8982-928CA4B93B11.html",
		Rows: []Row{
			instancesRow("netapp-40gb", 40, 4, 21, 84),
			instancesRow("netapp-overwrites", 40, 4, 3, 12),
		},
	},
	{
		Title: "Determining the volume size when using Snapshot autodelete, NetApp", Year: "not on the page",
		Where:   "step 2; the example of step 3 is beyond what could be read",
		Address: "https://library.netapp.com/ecmdocs/ECMP1368845/html/GUID-3AA3830F-FA54-4BA1-8309-AF0809B1CF73.html",
		Rows:    []Row{instancesRow("netapp-200gb", 200, 20, 21, 420)},
	},
	{
		Title: "KB2207, Backup copy space requirements, Veeam",
		Year:  "not on the page",
		Where: "the increments of the example; the total is beyond what could be read, and sums of full backups and of " +
			"increments are no calculation of vsla",
		Address: "https://www.veeam.com/kb2207",
		Rows:    []Row{instancesRow("veeam-14", 1250, 170, 14, 2380)},
	},
	{
		Title: "Data Protection Manager 2006, calculating capacity requirements, Microsoft", Year: "2005",
		Where: "the recommendation for 10 days. vsla counts the sync that is arriving, too",
		Address: "https://docs.microsoft.com/en-us/previous-versions/system-center/data-protection-manager-2006/" +
			"cc161409(v=technet.10)",
		Rows: []Row{
			{
				ID:        "dpm2006-pool",
				Kind:      Worked,
				Rule:      Printed,
				What:      "replica of 100 GB with 10 daily instances, in times the data",
				Inputs:    "1 + 10 * 10 %, and 10 % of the sync that is arriving",
				Published: []float64{2, 3},
				Unit:      "times",
				Predict:   keeping{gb: 100, changed: 10, days: 10, total: true, per: 100},
				Hand:      []float64{(100 + 10*10 + 10) / 100.},
			},
		},
	},
}

func instancesRow(id string, gb, changed, days, published float64) Row {
	return Row{
		ID: "instances-" + id, Kind: Worked, Rule: Exact,
		What:      fmt.Sprintf("%g daily instances of %s GB that change by %g GB a day", days, number(gb), changed),
		Inputs:    fmt.Sprintf("%g * %g GB", days, changed),
		Published: []float64{published}, Unit: "GB",
		Predict: keeping{gb: gb, changed: changed, days: days, per: 1},
		Hand:    []float64{days * changed},
	}
}
